/**
 * The sentence with which the service says why it refuses, and what people are told after the text of its code
 * (`problemStrings.ts`). Keys and texts are as those of `faultStrings.ts`: a translation changes the text.
 */
import { texts } from "../texts.ts"

export const detailStrings = texts("detail", {
  "{1} can be closed from {2} ({3}).": "{1} can be closed from {2} ({3}).",
  "Members with something that was due in {1} or before and is not posted yet: {2}. It is points, rewards or holds that end. The service posts them by itself, unless writes are frozen. Ask again then.":
    "Guests with something that was due in {1} or before and is not posted yet, such as points that expire: {2}. The service posts it by itself within a minute: try again then. If it stays so, writes are frozen: the page Service says so, and who may, allows them again there.",
  "Members with something that was due in {1} or before and is not posted yet: {2} or more. It is points, rewards or holds that end. The service posts them by itself, unless writes are frozen. Ask again then.":
    "Guests with something that was due in {1} or before and is not posted yet, such as points that expire: {2} or more. The service posts it by itself: try again later. If it stays so, writes are frozen: the page Service says so, and who may, allows them again there.",
  "Months are closed in order: the next one is {1}.": "Months are closed in order: the next one is {1}.",
  "{1} is not closed.": "{1} is not closed.",
  "The sums of finance are counted up to {1}; they go on by themselves. Ask again later. Where the next records are archived, they need the folder on the nodes, lotbook journal restore, or lotbook journal rebuild --from.":
    "The books are counted up to {1}, and go on by themselves: try again later. If they stay there, the next records are archived: somebody who operates the service brings them back with lotbook journal restore.",
  "It is being given by {1}.": "{1} is giving it.",
  "It was declined by {1}.": "{1} has declined it.",
  "It was given by {1}.": "{1} has given it.",
  "Nobody decided within 24 hours. Who asked can ask again.":
    "Nobody decided within 24 hours. Who asked can ask again.",
  "The guest has changed since. Look again at what it would do.":
    "The guest has changed since. Look again at what it would do.",
  "It has changed since. Look again at what it would do.": "It has changed since. Look again at what it would do.",
  "It is in force already.": "It is in force already.",
  "It was put in force by {1}.": "{1} has put it in force.",
  "Nobody decided within 14 days. Who handed it over can hand it over again.":
    "Nobody decided within 14 days. Who handed it over can hand it over again.",
  "Only people hand work over.": "Only people hand work over.",
  "The campaign is archived.": "The campaign is archived.",
  "The campaign was deleted.": "The campaign was deleted.",
  "{1} may not prepare this any more. Send it back.": "{1} may not prepare this any more. Send it back.",
  "The campaign would never run: its end or its schedule is over. Change it first.":
    "The campaign would never run: its end or its schedule is over. Change it first.",
  "There is no handover {1}.": "There is no handover {1}.",
  "Version {1} is in force since. Carry the change over to it first.":
    "Version {1} was published since. Open the change in the editor, which carries it over to that version.",
  "You have handed over {1} already. Wait for answers first.":
    "You have handed over {1} things. Wait for answers first.",
  "What the import did is deleted by now, so it cannot be taken back.":
    "What the import did is deleted by now, so it cannot be taken back.",
  "The import has not ended. Send its rows again, so that it does, and take it back then.":
    "The import has not ended. Import the file again, so that it does, and take it back then.",
  "An earlier version made the import, and did not note what it did, so it cannot be taken back.":
    "An earlier version made the import, and did not note what it did, so it cannot be taken back.",
  "Taking points or rewards back needs the scope points:give.":
    "Taking points or rewards back needs the right to give points.",
  "You may not put this in force yourself.": "You may not put this in force yourself.",
  "The question is no longer kept.": "The question is no longer kept.",
  "The question was decided by somebody else.": "Somebody else has decided it.",
  "Only people ask others for gifts.": "Only people ask others for gifts.",
  "There is no question {1}.": "There is no question {1}.",
  "You have {1} open questions. Wait for answers first.": "You have {1} open questions. Wait for answers first.",
  "A campaign has a trigger for ever or never.": "A campaign has a trigger for ever or never.",
  "A debit has no expires_at.": "A debit has no expires_at.",
  "A member cannot be merged into itself.": "A member cannot be merged into itself.",
  "A reservation is paid with points or with a wallet reward, not with both.":
    "A reservation is paid with points or with a wallet reward, not with both.",
  "A user has at most {1} passkeys; remove one first.": "A user has at most {1} passkeys; remove one first.",
  "A value that must be unique is already in use.": "A value that must be unique is already in use.",
  "A {1} must not raise eligible spend.": "A {1} must not raise eligible spend.",
  "Another member has the external id.": "Another member has the external id.",
  "An order is tried for a member with the scope members:read. Leave member_id out.":
    "An order is tried for a member with the scope members:read. Leave member_id out.",
  "Another member has the identity. The rest of the row is imported.":
    "Another member has the identity. The rest of the row is imported.",
  "Another member has the member id or the external id.": "Another member has the member id or the external id.",
  "The member has changed since the effects were counted.": "The member has changed since the effects were counted.",
  "It would bring about {1} rewards and {2} points; fewer were counted.":
    "It would bring about {1} rewards and {2} points; fewer were counted.",
  "Member {1} has no reward {2}.": "Member {1} has no reward {2}.",
  "The member already has another opening balance. The rest of the row is imported.":
    "The member already has another opening balance. The rest of the row is imported.",
  "The member has an identity of this type. A further one needs the scope members:write. The rest of the row is imported.":
    "The member has an identity of this type. A further one needs the scope members:write. The rest of the row is imported.",
  "Another member has the identity.": "Another member has the identity.",
  "Another programme has a segment {1}; ids are unique in the service.":
    "Another programme has a segment {1}; ids are unique in the service.",
  "Another service of this database is alive. Stop it and try again.":
    "Another service of this database is alive. Stop it and try again.",
  "The member has got the opening balance before, also if it was taken back. It is not given again.":
    "The guest has got the opening balance before, and does not get it again. This is so too if it was taken back.",
  "The campaign {1} gives points or rewards to guests who are imported. These roles may import them: {2}.":
    "The campaign “{1}” gives points or rewards to guests who are imported. These roles may import them: {2}.",
  "The campaign {1} gives points or rewards by the attribute {2}, which the import sets. These roles may import it: {3}.":
    "The campaign “{1}” gives points or rewards by the attribute “{2}”, which the file sets. These roles may import it: {3}.",
  "The campaign {1} gives points or rewards by {2}, which the import sets. These roles may import it: {3}.":
    "The campaign “{1}” gives points or rewards by {2}, which the file sets. These roles may import it: {3}.",
  "The member exists, and changing it needs the scope members:write. Nothing of the row is imported.":
    "The guest exists, and your role may not change guests. Nothing of the row is imported.",
  "Another member has this e-mail address already.": "Another guest has this e-mail address already.",
  "Because of them campaigns may give {1} points and {2} rewards, which count for you.":
    "Because of them campaigns may give {1} points and {2} rewards, which count for you.",
  "Connector {1} has {2} replays that are not done yet.": "Connector {1} has {2} replays that are not done yet.",
  "Connector {1} sends the codes of one of these programmes already.":
    "Connector {1} sends the codes of one of these programmes already.",
  "Connector {1} is disabled; enable it first.": "Connector {1} is disabled; enable it first.",
  "Issued reward {1} is for reward {2}, not {3}.": "Issued reward {1} is for reward {2}, not {3}.",
  "Issued reward {1} is held by reservation {2}.": "Issued reward {1} is held by reservation {2}.",
  "Issued reward {1} is {2}.": "Issued reward {1} is {2}.",
  "It was done before for a member that was merged into this one.":
    "It was done before for a member that was merged into this one.",
  "Member id {1} belongs to another identity.": "Member id {1} belongs to another identity.",
  "Member {1} has no issued reward {2}.": "Member {1} has no issued reward {2}.",
  "Member {1} has open reservations.": "Member {1} has open reservations.",
  "Member {1} is closed permanently.": "Member {1} is closed permanently.",
  "Member {1} is closed.": "Member {1} is closed.",
  "Member {1} is {2}.": "Member {1} is {2}.",
  "Member {1} was merged into {2} before.": "Member {1} was merged into {2} before.",
  "Member {1} was merged into {2}.": "Member {1} was merged into {2}.",
  "Member {1} would have no identity left.": "Member {1} would have no identity left.",
  "Member {1} would have {2} identities; the limit is {3}.": "Member {1} would have {2} identities; the limit is {3}.",
  "No member of programme {1} has the identity.": "No member of programme {1} has the identity.",
  "No passkey is for {1}. Others are for {2}.": "No passkey is for {1}. Others are for {2}.",
  "No provider signs people in here (PROTO_OIDC_ISSUER). Use a passkey.":
    "No provider signs people in here (PROTO_OIDC_ISSUER). Use a passkey.",
  "Nobody reaches further with a token than they do.": "Nobody reaches further with a token than they do.",
  "A node of version {1} runs, which knows no {2}. Replace it first.":
    "A node of version {1} runs, which knows no {2}. Replace it first.",
  "No guest is known here by that.": "No guest is known here by that.",
  "Several guests have it. Use a card number.": "Several guests have it. Use a card number.",
  "The caller is limited to other restaurants.": "You are limited to other restaurants.",
  "Nobody grants a token more scopes than their own.": "Nobody grants a token more scopes than their own.",
  "Nobody rotates a token that they could not have issued.": "Nobody rotates a token that they could not have issued.",
  "Only a paid order accrues; this one is {1}.": "Only a paid order accrues; this one is {1}.",
  "Only callers on the service's own machine see and set faults.":
    "Only callers on the service's own machine see and set faults.",
  "Order {1} has no accrual for member {2}.": "Order {1} has no accrual for member {2}.",
  "Order {1} has no item that reward {2} is for.": "Order {1} has no item that reward {2} is for.",
  "Order {1} is {2}; no reward can be reserved for it.": "Order {1} is {2}; no reward can be reserved for it.",
  "Order {1} was moved to another member before.": "Order {1} was moved to another member before.",
  "Order {1} was refunded in full; nothing is left to correct.":
    "Order {1} was refunded in full; nothing is left to correct.",
  "Order {1} was refunded in full; nothing is left to move.":
    "Order {1} was refunded in full; nothing is left to move.",
  "Programme {1} has no campaign {2}.": "Programme {1} has no campaign {2}.",
  "Programme {1} has no import {2}.": "Programme {1} has no import {2}.",
  "Programme {1} has no member {2}.": "Programme {1} has no member {2}.",
  "Points that are moved in must not have expired.": "Points that are moved in must not have expired.",
  "Rewards that are moved in must not have expired.": "Rewards that are moved in must not have expired.",
  "Programme {1} has no account of {2}.": "Programme {1} has no account of {2}.",
  "Programme {1} has no tier {2}.": "Programme {1} has no tier {2}.",
  "Programme {1} has no logo.": "Programme {1} has no logo.",
  "Programme {1} has no reward {2}.": "Programme {1} has no reward {2}.",
  "Programme {1} has no segment {2}.": "Programme {1} has no segment {2}.",
  "Programme {1} has no version {2}.": "Programme {1} has no version {2}.",
  "Programme {1} was retired.": "Programme {1} was retired.",
  "Programme {1} is a rehearsal: its campaigns rest.": "Programme {1} is a rehearsal: its campaigns rest.",
  "Reservation {1} has expired.": "Reservation {1} has expired.",
  "Reservation {1} is for order {2}, not {3}.": "Reservation {1} is for order {2}, not {3}.",
  "Reservation {1} is {2}.": "Reservation {1} is {2}.",
  "Reward {1} can only be used for an order.": "Reward {1} can only be used for an order.",
  "Reward {1} costs {2} {3}; {4} are available.": "Reward {1} costs {2} {3}; {4} are available.",
  "Reward {1} is {2}.": "Reward {1} is {2}.",
  "Rewards can be used from {1} {2} on; {3} are available.": "Rewards can be used from {1} {2} on; {3} are available.",
  "Somebody with this e-mail address is a user already. Invite that user again, or enable it.":
    "Somebody with this e-mail address is a user already. Invite that user again, or enable it.",
  "The account has newer records than those that were read.":
    "The account has newer records than those that were read.",
  "The adjustment is in {1}, programme {2} in {3}.": "The adjustment is in {1}, programme {2} in {3}.",
  "The campaign {1} has a trigger, and no runs.": "The campaign {1} has a trigger, and no runs.",
  "The campaign {1} has no run {2}.": "The campaign {1} has no run {2}.",
  "The campaign {1} is archived.": "The campaign {1} is archived.",
  "The campaign {1} is no draft, or it was active before.": "The campaign {1} is no draft, or it was active before.",
  "The campaign {1} is of programme {2}.": "The campaign {1} is of programme {2}.",
  "The campaign {1} {2}.": "The campaign {1} {2}.",
  "The clock cannot go beyond the year 9999.": "The clock cannot go beyond the year 9999.",
  "The clock never goes back; it stands at {1}.": "The clock never goes back; it stands at {1}.",
  "The company's sign-in does not answer as it should. Try again; the log has the cause.":
    "The company's sign-in does not answer as it should. Try again; the log has the cause.",
  "The company's sign-in gave no valid proof. Sign in again.":
    "The company's sign-in gave no valid proof. Sign in again.",
  "The company's sign-in gives you no role here. Ask who manages it.":
    "The company's sign-in gives you no role here. Ask who manages it.",
  "The company's sign-in tells no e-mail address. Ask who manages it.":
    "The company's sign-in tells no e-mail address. Ask who manages it.",
  "The credit would fill {1} stamp cards; the limit is {2} at once.":
    "The credit would fill {1} stamp cards; the limit is {2} at once.",
  "The debit takes {1} {2}; {3} are available.": "The debit takes {1} {2}; {3} are available.",
  "The definition changes parts that must not change while the programme has members.":
    "The definition changes parts that must not change while the programme has members.",
  "The event {1} was recorded before under another key.": "The event {1} was recorded before under another key.",
  "The guest has this order already, as {1}.": "The guest has this order already, as {1}.",
  "The guest {1} has this order, as {2}.":
    "The guest {1} has this order, as {2}. If it is this guest's, move it on that guest's page.",
  "The receipt was added before, with other facts or for another guest: look for order {1}.":
    "This receipt was added before, for another guest or with another amount, time or products. Look for order {1} at the counter.",
  "The receipt was added meanwhile.": "The receipt was added meanwhile.",
  "The holdout is fixed: the campaign has run.": "The holdout is fixed: the campaign has run.",
  "The identifier was used before with other facts.": "The identifier was used before with other facts.",
  "The identity belongs to a member that was closed.": "The identity belongs to a member that was closed.",
  "The key has no scope of the operators or the platform.": "The key has no scope of the operators or the platform.",
  "The key is neither the admin key nor a known token.": "The key is neither the admin key nor a known token.",
  "The key is no longer valid.": "The key is no longer valid.",
  "The member exists. Changing it needs the scope members:write.":
    "The member exists. Changing it needs the scope members:write.",
  "The member {1} is {2}.": "The member {1} is {2}.",
  "The order belongs to this member already.": "The order belongs to this member already.",
  "The order has accrued before, with other facts or for another member. An order_id stays unique in the programme: if your numbers repeat, put shop and day before them.":
    "The order has accrued before, with other facts or for another member. An order_id stays unique in the programme: if your numbers repeat, put shop and day before them.",
  "The order is in {1}, programme {2} in {3}.": "The order is in {1}, programme {2} in {3}.",
  "The order names member {1}, the request {2}.": "The order names member {1}, the request {2}.",
  "The order would complete challenges {1} times; the limit is {2} at once.":
    "The order would complete challenges {1} times; the limit is {2} at once.",
  "The order would earn more points than can be counted exactly.":
    "The order would earn more points than can be counted exactly.",
  "The other filters do not match the member {1}.": "The other filters do not match the member {1}.",
  "The request failed; the log has the cause, with the request id {1}.":
    "The request failed; the log has the cause, with the request id {1}.",
  "The role comes from the company's provider. Change it there.":
    "The role comes from the company's provider. Change it there.",
  "The role {1} may do more than you. Ask somebody who has it.":
    "The role {1} may do more than you. Ask somebody who has it.",
  "The segment {1} is archived.": "The segment {1} is archived.",
  "The segment {1} is archived; restore it first.": "The segment {1} is archived; restore it first.",
  "The service is for {1}, and its passkeys work. Set PROTO_PUBLIC_URL to the new address first.":
    "The service is for {1}, and its passkeys work. Set PROTO_PUBLIC_URL to the new address first.",
  "The token is limited to programmes; this is for all.": "The token is limited to programmes; this is for all.",
  "The token is the environment's (PROTO_TOKEN, PROTO_TOKENS); change it there.":
    "The token is the environment's (PROTO_TOKEN, PROTO_TOKENS); change it there.",
  "The token of this request is no longer valid.": "The token of this request is no longer valid.",
  "The user is disabled. Enable the user first.": "The user is disabled. Enable the user first.",
  "The {1} {2} uses the segment {3}.": "The {1} {2} uses the segment {3}.",
  "There is another user with the address {1}. Ask an owner to disable it.":
    "There is another user with the address {1}. Ask an owner to disable it.",
  "There is no campaign {1}.": "There is no campaign {1}.",
  "There is no connector {1}.": "There is no connector {1}.",
  "There is no delivery of event {1}; replay by position instead.":
    "There is no delivery of event {1}; replay by position instead.",
  "The errors of the import {1} were kept long enough, and are deleted.":
    "The errors of the import {1} were kept long enough, and are deleted.",
  "The import was cut off so long ago that what became of its rows is deleted. Import those that are missing with another key.":
    "The import was cut off so long ago that what became of its rows is deleted. Import those that are missing with another key.",
  "A lot has fewer points left than a correction takes.": "A lot has fewer points left than a correction takes.",
  "There is no import {1}.": "There is no import {1}.",
  "There is no issued reward {1}.": "There is no issued reward {1}.",
  "There is no member {1}.": "There is no member {1}.",
  "There is no programme that the caller may see.": "There is no programme that the caller may see.",
  "There is no programme {1}.": "There is no programme {1}.",
  "There is no reservation {1}.": "There is no reservation {1}.",
  "The audience of {1} has changed since; preview it again.":
    "The audience of {1} has changed since; look at it again.",
  "There is no run {1} of programme {2}.": "There is no run {1} of programme {2}.",
  "There is no segment {1}.": "There is no segment {1}.",
  "There is no session.": "There is no session.",
  "There is no session; sign in.": "There is no session; sign in.",
  "There is no such account.": "There is no such account.",
  "There is no token {1}.": "There is no token {1}.",
  "There is no user {1}.": "There is no user {1}.",
  "This invitation has ended. Ask who invited you for a new one.":
    "This invitation has ended. Ask who invited you for a new one.",
  "This invitation was used already, a newer one replaced it, or it was withdrawn.":
    "This invitation was used already, a newer one replaced it, or it was withdrawn.",
  "This invitation was used already, a newer one replaced it, or it was withdrawn. Sign in, or ask who invited you for a new one.":
    "This invitation was used already, a newer one replaced it, or it was withdrawn. Sign in, or ask who invited you for a new one.",
  "This is the last active owner of all programmes. Make somebody else an owner first, and wait until that person has signed in.":
    "This is the last active owner of all programmes. Make somebody else an owner first, and wait until that person has signed in.",
  "This is too much {1}: a credit, an overdraft and an order's total are at most {2}, and a balance must be exact in JSON.":
    "This is too much {1}: a credit, an overdraft and an order's total are at most {2}, and a balance must be exact in JSON.",
  "This is your last passkey. Add another one first.": "This is your last passkey. Add another one first.",
  "This passkey is known already.": "This passkey is known already.",
  "This service runs on the real clock, and only a sandbox has faults.":
    "This service runs on the real clock, and only a sandbox has faults.",
  "This service runs on the real clock. A sandbox is made with --sandbox-clock 2026-07-14T10:00:00Z.":
    "This service runs on the real clock. A sandbox is made with --sandbox-clock 2026-07-14T10:00:00Z.",
  "This session was opened with a key. Only people have an account: sign in with a passkey.":
    "This session was opened with a key. Only people have an account: sign in with a passkey.",
  "This sign-in took too long, or was used before. Sign in again.":
    "This sign-in took too long, or was used before. Sign in again.",
  "This user is disabled. Ask an owner.": "This user is disabled. Ask an owner.",
  "This user may not sign in any more.": "This user may not sign in any more.",
  "This user or passkey may not sign in any more. Ask an owner.":
    "This user or passkey may not sign in any more. Ask an owner.",
  "This user signs in at the company's provider, and has no passkeys here.":
    "This user signs in at the company's provider, and has no passkeys here.",
  "Token {1} is {2}.": "Token {1} is {2}.",
  "You have no passkey {1}.": "You have no passkey {1}.",
  "Your account is limited to programmes; this is for all.": "Your account is limited to programmes; this is for all.",
  "expires_at must lie ahead.": "expires_at must lie ahead.",
  "{1} connectors are enabled, and no more may be; disable another one first.":
    "{1} connectors are enabled, and no more may be; disable another one first.",
  "{1} is limited to programmes, and cannot publish a new one.":
    "{1} is limited to programmes, and cannot publish a new one.",
  "{1} is limited to programmes, but the connector also covers others.":
    "{1} is limited to programmes, but the connector also covers others.",
  "{1} lacks the scope {2}.": "{1} lacks the scope {2}.",
  "{1} was no member yet at {2}.": "{1} was no member yet at {2}.",
  "This needs records of {1}, which are archived. An operator restores them with lotbook journal restore {2}.":
    "It needs records of {1}. Somebody who operates the service restores them with lotbook journal restore {2}.",
  "Reward {1} is not yet available.": "Reward {1} is not yet available.",
  "Reward {1} is no longer available.": "Reward {1} is no longer available.",
  "The campaign {1} has no segment.": "The campaign {1} has no segment.",
  "The clock moved to {1}. Some entries due by then are not posted yet; the service posts them once the database responds.":
    "The clock moved to {1}. Some entries due by then are not posted yet; the service posts them once the database responds.",
  "The segment {1} would have {2} conditions with those of {3}, which it names; the limit is {4}.":
    "The segment {1} would have {2} conditions with those of {3}, which it names; the limit is {4}.",
  "The token is not for programme {1}.": "The token is not for programme {1}.",
  "The token is limited to restaurants; this is for all.": "The token is limited to restaurants; this is for all.",
  "There are {1} connections, and no more may be.": "There are {1} connections, and no more may be.",
  "There is no connection {1}.": "There is no connection {1}.",
  "There is no such programme.": "There is no such programme.",
  "Version {1} is in force.": "Version {1} is in force.",
  "Your account is not for programme {1}.": "Your account is not for programme {1}.",
  "Your account is limited to restaurants; this is for all.":
    "Your account is limited to restaurants; this is for all.",
  "{1} gives points or rewards. {2} lacks the scope {3}.": "{1} gives points or rewards. {2} lacks the scope {3}.",
  "include_artifacts sends the codes of rewards, which redeem them. It needs the scopes members:read and points:give.":
    "Codes of rewards redeem them. To send them, the scopes members:read and points:give are needed.",
  "guest_codes sends codes that sign guests in. It needs the scope staff:write, which owners have.":
    "These codes sign guests in. To send them, the scope staff:write is needed, which owners have."
})
