import { keysOf } from '../../../runtime/keys-of.ts';
import { ANY_AWAIT } from './failpoint.ts';
import type { Traffic } from './traffic.ts';

interface PointFacts {
  readonly about: string;
  /** Texts, where nothing is said. */
  readonly traffic?: Traffic | 'linking';
  /** The highest pass at which it dies: some points are passed often in a burst. */
  readonly most?: number;
  /** Passed while a gateway picks up what another left: it is armed from its start. */
  readonly atStart?: true;
}

/**
 * Where a gateway dies. What an await waits for is either outside of the process (the store, the network, a caller, a disk) or in its memory, and
 * dying at one of the latter leaves what dying after the last step outside left. So there is a point after each step outside that a message
 * takes, in the order of the steps, and before those that come first; and one that is at any await of all, whoever's.
 */
const POINTS = {
  'before-accept': { about: 'a message is about to be stored' },
  'after-accept': { about: 'it is stored, its caller has received nothing' },
  'after-answer': { about: 'the 202 has left' },
  'after-claim': { about: 'it is claimed, nothing is sealed' },
  'after-wire-iq-usync': { about: 'whether its recipient is on the network was asked', most: 1 },
  'after-wire-iq-key': { about: 'the keys of somebody never written to were asked for', most: 1 },
  'received-iq-list': { about: 'they have come, no session is stored', most: 1 },
  'made-message': { about: 'it is sealed, the chain step that sealed it is not stored' },
  'before-secrets': { about: 'the secrets that changed are about to be stored' },
  'after-secrets': { about: 'they are, what was sealed with them has not left' },
  'before-wire-message': { about: 'it is about to leave' },
  'after-wire-message': { about: 'it has left' },
  'after-wire-iq-tokens': { about: 'somebody who was first written to is given a token of trust', most: 1 },
  'received-ack': { about: 'the network has it, and its device has not learned of it' },
  'after-mark': { about: 'it is marked sent, nobody was told' },
  'after-events.insertMany': { about: 'what happened to messages is recorded' },
  'after-chats.findOneAndUpdate': { about: 'a chat shows them' },
  'after-settle': { about: 'nothing is owed of a message any more' },
  'after-settled-secrets': { about: 'secrets that do not change were put where they stay', most: 12 },
  'before-retake': { about: 'what was left on the wire is about to be taken over', most: 1, atStart: true },
  'after-retake': { about: 'it is, and has not been sent again', most: 1, atStart: true },
  'received-receipt': { about: 'a receipt has come' },
  'after-receipt': { about: 'it is stored, the network was not told that it is' },
  'after-wire-ack': { about: 'it was told' },
  'received-message': { about: 'a message has come, nothing is opened' },
  'after-pre-keys': { about: 'a one-time key that opened a first message is gone', most: 2 },
  'before-inbound': { about: 'a message is about to be stored' },
  'after-inbound': { about: 'it is stored, the network was not told' },
  'made-receipt': { about: 'that is about to be told' },
  'after-wire-receipt': { about: 'it was told, and this is not noted' },
  'after-identities.updateOne': { about: 'who wrote is known under both addresses' },
  'before-consents.insertMany': { about: 'a STOP is stored and received, the consent is not changed', most: 1 },
  'after-consents.insertMany': { about: 'the consent is changed, with all that follows from it owed', most: 1 },
  'after-consent_history.insertMany': { about: 'its history is written', most: 1 },
  'after-consents.updateOne': { about: 'nothing is owed of the consent any more', most: 1 },
  'after-contacts.insertMany': { about: 'who wrote is a contact', most: 1 },
  [ANY_AWAIT]: { about: 'something goes on after an await', most: 3_000 },
  'group/made-message': { about: 'a text to a group is sealed', traffic: 'group' },
  'group/after-secrets': { about: 'the group key is stored, what was sealed with it has not left', traffic: 'group' },
  'group/after-wire-message': { about: 'it has left', traffic: 'group' },
  'group/after-inbound': { about: 'what came from the group is stored', traffic: 'group' },
  'files/made-message': { about: 'a file is where its recipient gets it, its message is sealed', traffic: 'files' },
  'files/after-wire-message': { about: 'a message with a file has left', traffic: 'files' },
  'files/after-file': { about: 'the file of a message that came in is there, and no row of it', traffic: 'files', most: 2 },
  'files/after-media.insertOne': { about: 'its row is there, and not the message', traffic: 'files', most: 2 },
  'pre-keys/received-notification-encrypt': { about: 'the network has few one-time keys left', traffic: 'pre-keys', most: 1 },
  'pre-keys/after-pre-keys': { about: 'new ones are stored, and their numbers taken', traffic: 'pre-keys', most: 6 },
  'pre-keys/after-wire-iq-registration': { about: 'they were published, and this is not noted', traffic: 'pre-keys', most: 1 },
  'pre-keys/received-iq-result': { about: 'they were taken', traffic: 'pre-keys', most: 1 },
  'features/after-channel_intents.insertOne': { about: 'a channel is wanted, the network was not asked', traffic: 'features', most: 1 },
  'features/after-wire-iq-query': { about: 'it was asked for', traffic: 'features', most: 1 },
  'features/received-iq-result': { about: 'it is made, its device has not learned of it', traffic: 'features', most: 3 },
  'features/after-channels.insertOne': {
    about: 'it is known here, whether by its caller or by what the network told',
    traffic: 'features',
    most: 1,
  },
  'features/after-channel_intents.updateOne': {
    about: 'nothing is open of it, its caller has received nothing',
    traffic: 'features',
    most: 1,
  },
  'features/after-wire-iq-sync': { about: 'a label is written to the settings of the account, or those are read', traffic: 'features' },
  'features/received-iq-sync': { about: 'what they are now has come', traffic: 'features' },
  'features/after-settled-secrets': { about: 'their version is stored, or what they say', traffic: 'features' },
  'features/received-notification': { about: 'the network tells of a channel, a label or a block', traffic: 'features' },
  'features/before-events.insertMany': { about: 'what it told is about to be recorded', traffic: 'features' },
  'features/after-events.insertMany': { about: 'it is, the network was not told', traffic: 'features' },
  'features/after-wire-ack': { about: 'it was told', traffic: 'features' },
  'features/made-message': { about: 'a post or a status is made', traffic: 'features' },
  'features/after-wire-message': { about: 'it has left', traffic: 'features' },
  'features/received-ack': { about: 'the network has it, its device has not learned of it', traffic: 'features' },
  'features/after-mark': { about: 'it is marked sent', traffic: 'features' },
  'features/after-status_views.insertOne': { about: 'who looked at a status is stored, the network was not told', traffic: 'features' },
  'linking/received-iq-pair-success': { about: 'a phone has agreed, nothing is stored of its login', traffic: 'linking', most: 1 },
  'linking/before-secrets': { about: 'a place for it is, and not the login', traffic: 'linking', most: 1 },
  'linking/after-secrets': { about: 'the login is stored, the network was not told', traffic: 'linking', most: 1 },
  'linking/after-wire-iq-pair-device-sign': { about: 'it was told', traffic: 'linking', most: 1 },
  'linking/received-success': { about: 'the login is let in for the first time', traffic: 'linking', most: 1 },
  'linking/after-pre-keys': { about: 'some of its first one-time keys are stored', traffic: 'linking', most: 800 },
  'linking/after-wire-iq-registration': { about: 'they were published', traffic: 'linking', most: 1 },
} as const satisfies Readonly<Record<string, PointFacts>>;

export type Point = keyof typeof POINTS;

export const ALL_POINTS: readonly Point[] = keysOf(POINTS);

const MAX_PASSES = 4;

export const factsOf = (point: Point): Required<Omit<PointFacts, 'atStart'>> & Pick<PointFacts, 'atStart'> => ({
  traffic: 'texts',
  most: MAX_PASSES,
  ...POINTS[point],
});

/** What a gateway is armed with. */
export const stepOfPoint = (point: Point): string => point.slice(point.indexOf('/') + 1);
