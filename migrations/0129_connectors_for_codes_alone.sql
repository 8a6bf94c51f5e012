-- Oldest: 0.3.0
-- A connector that sends codes to telephones may get no events (contract/events.md *Connectors*). The service asks others for one.

alter table connectors drop constraint connectors_event_types_check;
