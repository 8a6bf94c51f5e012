-- Oldest: 0.3.0
-- Texts of a campaign for guests by language, and how long they are shown (contract/engagement.md *Texts for guests*).

alter table campaigns add column guest_texts jsonb, add column guest_days int;
comment on column campaigns.guest_texts is 'JSON: name and text by language, for guests of that language. Null: all read guest_name and guest_text.';
comment on column campaigns.guest_days is 'Days after the gift in which the page shows the text. Null: 30.';
