import { keysOf } from '../../../runtime/keys-of.ts';
import { ANY_AWAIT } from './failpoint.ts';
import { TRAFFICS, type Traffic } from './traffic.ts';

interface PointFacts {
  readonly about: string;
  readonly most: number;
  /** True if armed at the start, for points that a gateway passes while it takes over work. */
  readonly atStart: boolean;
}

const MAX_PASSES = 4;

const often = (about: string, most = MAX_PASSES): PointFacts => ({ about, most, atStart: false });
const once = (about: string): PointFacts => often(about, 1);
const atStart = (about: string): PointFacts => ({ ...once(about), atStart: true });

/**
 * The points at which a gateway dies. Only steps with an effect outside of the process change what
 * a death leaves behind, so there is a point after each of them. A prefix names the traffic
 * (`trafficOf`).
 */
const POINTS = {
  'before-accept': often('a message is about to be stored'),
  'after-accept': often('it is stored, its caller has received nothing'),
  'after-answer': often('the 202 has left'),
  'after-claim': often('it is claimed, nothing is sealed'),
  'after-wire-iq-usync': once('whether its recipient is on the network was asked'),
  'after-wire-iq-key': once('the keys of somebody never written to were asked for'),
  'received-iq-list': once('they have come, no session is stored'),
  'made-message': often('it is sealed, the chain step that sealed it is not stored'),
  'before-secrets': often('the secrets that changed are about to be stored'),
  'after-secrets': often('they are, what was sealed with them has not left'),
  'before-wire-message': often('it is about to leave'),
  'after-wire-message': often('it has left'),
  'after-wire-iq-tokens': once('somebody who was first written to is given a token of trust'),
  'received-ack': often('the network has it, and its device has not learned of it'),
  'after-mark': often('it is marked sent, nobody was told'),
  'after-events.insertMany': often('what happened to messages is recorded'),
  'after-chats.findOneAndUpdate': often('a chat shows them'),
  'after-settle': often('nothing is owed of a message any more'),
  'after-settled-secrets': often('secrets that do not change were put where they stay', 12),
  'before-retake': atStart('what was left on the wire is about to be taken over'),
  'after-retake': atStart('it is, and has not been sent again'),
  'received-receipt': often('a receipt has come'),
  'after-receipt': often('it is stored, the network was not told that it is'),
  'after-wire-ack': often('it was told'),
  'received-message': often('a message has come, nothing is opened'),
  'before-inbound': often('a message is about to be stored'),
  'after-inbound': often('it is stored, the network was not told'),
  'made-receipt': often('that is about to be told'),
  'after-wire-receipt': often('it was told, and this is not noted'),
  'after-identities.updateOne': often('who wrote is known under both addresses'),
  'before-consents.insertMany': once('a STOP is stored and received, the consent is not changed'),
  'after-consents.insertMany': once('the consent is changed, with all that follows from it owed'),
  'after-consent_history.insertMany': once('its history is written'),
  'after-consents.updateOne': once('nothing is owed of the consent any more'),
  'after-contacts.insertMany': once('who wrote is a contact'),
  [ANY_AWAIT]: often('something goes on after an await', 3_000),
  'refused/received-ack': often('the network refuses a text for the moment, and its device has not learned of it', 2),
  'refused/before-hold': once('that it waits is about to be stored'),
  'refused/after-hold': once('it waits for its next try'),
  'refused/after-wire-message': often('one has left, perhaps for the second time'),
  'addresses/received-ack': often(
    'the network refuses a text under the first address of a person, and its device has not learned of it',
    2,
  ),
  'addresses/made-message': often('one is sealed, perhaps for the second address', 3),
  'addresses/after-secrets': often('what sealed it is stored', 3),
  'addresses/after-wire-message': often('one has left, perhaps under the second address', 3),
  'addresses/after-settled-secrets': often('an address or its form is kept where it stays', 3),
  'group/made-message': often('a text to a group is sealed'),
  'group/after-secrets': often('the group key is stored, what was sealed with it has not left'),
  'group/after-wire-message': often('it has left'),
  'group/after-inbound': often('what came from the group is stored'),
  'files/made-message': often('a file is where its recipient gets it, its message is sealed'),
  'files/after-wire-message': often('a message with a file has left'),
  'files/after-file': often('the file of a message that came in is there, and no row of it', 2),
  'files/after-media.insertOne': often('its row is there, and not the message', 2),
  'pre-keys/received-notification-encrypt': once('the network has few one-time keys left'),
  'pre-keys/after-pre-keys': often('new ones are stored, and their numbers taken', 6),
  'pre-keys/after-wire-iq-registration': once('they were published, and this is not noted'),
  'pre-keys/received-iq-result': once('they were taken'),
  'features/after-channel_intents.insertOne': once('a channel is wanted, the network was not asked'),
  'features/after-wire-iq-query': once('it was asked for'),
  'features/received-iq-result': often('it is made, its device has not learned of it', 3),
  'features/after-channels.insertOne': once('it is known here, whether by its caller or by what the network told'),
  'features/after-channel_intents.updateOne': once('nothing is open of it, its caller has received nothing'),
  'features/after-wire-iq-sync': often('a label is written to the settings of the account, or those are read'),
  'features/received-iq-sync': often('what they are now has come'),
  'features/after-settled-secrets': often('their version is stored, or what they say'),
  'features/received-notification': often('the network tells of a channel, a label or a block'),
  'features/before-events.insertMany': often('what it told is about to be recorded'),
  'features/after-events.insertMany': often('it is, the network was not told'),
  'features/after-wire-ack': often('it was told'),
  'features/made-message': often('a post or a status is made'),
  'features/after-wire-message': often('it has left'),
  'features/received-ack': often('the network has it, its device has not learned of it'),
  'features/after-mark': often('it is marked sent'),
  'features/after-status_views.insertOne': often('who looked at a status is stored, the network was not told'),
  'groups/after-idempotency.insertOne': often('the key of a call is noted, the network was not asked', 2),
  'groups/after-wire-iq-create': once('a group or a community was asked for'),
  'groups/received-iq-group': often('it is made, or read, and its device has not learned of it', 2),
  'groups/after-groups.insertOne': often('it is known here, its caller has received nothing'),
  'groups/after-wire-iq-add': once('members were asked for'),
  'groups/received-iq-add': once('one is added, the other can only be invited: its device has not learned of that'),
  'groups/before-accept': once('the invitation is about to be stored'),
  'groups/after-accept': once('it is, its caller has received nothing'),
  'groups/after-wire-message': once('it has left'),
  'groups/after-mark': once('it is marked sent'),
  'groups/after-idempotency.updateOne': often('what became of a call is kept, its caller has received nothing', 2),
  'groups/after-wire-iq-remove': once('somebody is to leave'),
  'groups/received-iq-remove': once('they left, its device has not learned of it'),
  'groups/after-wire-iq-subject': once('another subject was asked for'),
  'groups/received-iq-result': once('the group has it, its device has not learned of it'),
  'groups/after-wire-iq-membership_approval_requests': once('who asks to join was asked'),
  'groups/after-wire-iq-membership_requests_action': once('somebody is to be let in'),
  'groups/received-iq-membership_requests_action': once('they are in, its device has not learned of it'),
  'groups/after-wire-iq-links': once('a group is to come into a community'),
  'groups/received-iq-links': once('it is there, its device has not learned of it'),
  'groups/received-notification': often('the network tells of a change'),
  'groups/before-events.insertMany': often('what it told is known, and about to be recorded'),
  'groups/after-events.insertMany': often('it is, the network was not told'),
  'groups/after-wire-ack': often('it was told'),
  'linking/received-iq-pair-success': once('a phone has agreed, nothing is stored of its login'),
  'linking/before-secrets': once('a place for it is, and not the login'),
  'linking/after-secrets': once('the login is stored, the network was not told'),
  'linking/after-wire-iq-pair-device-sign': once('it was told'),
  'linking/received-success': once('the login is let in for the first time'),
  'linking/after-pre-keys': often('some of its first one-time keys are stored', 800),
  'linking/after-wire-iq-registration': once('they were published'),
} as const satisfies Readonly<Record<string, PointFacts>>;

export type Point = keyof typeof POINTS;

export const ALL_POINTS: readonly Point[] = keysOf(POINTS);

export const factsOf = (point: Point): PointFacts => POINTS[point];

const SLASH = '/';

/** A point without a prefix uses texts. */
export const trafficOf = (point: Point): Traffic | 'linking' => LIVES.find((traffic) => point.startsWith(`${traffic}${SLASH}`)) ?? 'texts';

const LIVES = [...TRAFFICS, 'linking'] as const;

export const stepOfPoint = (point: Point): string => point.slice(point.indexOf(SLASH) + 1);
