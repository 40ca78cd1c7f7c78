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
 * Points at which a gateway dies, around each step with an effect outside the gateway. `trafficOf`
 * derives the traffic from a point's prefix.
 */
const POINTS = {
  'before-accept': often('a message is about to be stored'),
  'after-accept': often('the message is stored, but its caller has no response yet'),
  'after-answer': often('the 202 has been sent'),
  'after-claim': often('the message is claimed, but not encrypted yet'),
  'after-wire-iq-usync': once('the network was asked whether the recipient is registered'),
  'after-wire-iq-key': once('the keys of a new recipient were requested'),
  'received-iq-list': once('the keys have arrived, but no session is stored'),
  'made-message': often('the message is encrypted, but the used chain step is not stored'),
  'before-secrets': often('the changed secrets are about to be stored'),
  'after-secrets': often('the secrets are stored, but the message has not been sent'),
  'before-wire-message': often('the message is about to be sent'),
  'after-wire-message': often('the message has been sent'),
  'after-wire-iq-tokens': once('a new recipient has been sent a trust token'),
  'received-ack': often('the network has the message, but its device has not processed the ack'),
  'after-mark': often('the message is marked "sent", but no event is recorded'),
  'after-events.insertMany': often('the events of messages are recorded'),
  'after-chats.findOneAndUpdate': often('a chat shows the messages'),
  'after-settle': often('all follow-up work of a message is done'),
  'after-settled-secrets': often('secrets that no longer change are moved to their final place', 12),
  'before-retake': atStart('unconfirmed messages are about to be taken over'),
  'after-retake': atStart('the unconfirmed messages are taken over, but not sent again'),
  'received-receipt': often('a receipt has arrived'),
  'after-receipt': often('the receipt is stored, but not acknowledged'),
  'after-wire-ack': often('the receipt is acknowledged'),
  'received-message': often('a message has arrived, but is not decrypted'),
  'before-inbound': often('the incoming message is about to be stored'),
  'after-inbound': often('the incoming message is stored, but not acknowledged'),
  'made-receipt': often('the incoming message is about to be acknowledged'),
  'after-wire-receipt': often('the acknowledgement has been sent, but not recorded'),
  'after-identities.updateOne': often('the sender is known under both addresses'),
  'before-consents.insertMany': once('a STOP is stored and acknowledged, but the consent is unchanged'),
  'after-consents.insertMany': once('the consent is changed, but its follow-up work is pending'),
  'after-consent_history.insertMany': once('the history of the consent is written'),
  'after-consents.updateOne': once('all follow-up work of the consent is done'),
  'after-contacts.insertMany': once('the sender is a contact'),
  [ANY_AWAIT]: often('code continues after any await', 3_000),
  'refused/received-ack': often('the network temporarily refuses a text, but its device has not processed that', 2),
  'refused/before-hold': once('the refused text is about to be put back into the queue'),
  'refused/after-hold': once('the refused text is waiting for its next attempt'),
  'refused/after-wire-message': often('a text has been sent, possibly for the second time'),
  'addresses/received-ack': often('the network refuses a text to one of two addresses, but its device has not processed that', 2),
  'addresses/made-message': often('a text is encrypted, possibly for the second address', 3),
  'addresses/after-secrets': often('the secrets that encrypted the text are stored', 3),
  'addresses/after-wire-message': often('the text has been sent, possibly to the second address', 3),
  'addresses/after-settled-secrets': often('an address or its form is stored permanently', 3),
  'group/made-message': often('a text to a group is encrypted'),
  'group/after-secrets': often('the group key is stored, but the text has not been sent'),
  'group/after-wire-message': often('the text to the group has been sent'),
  'group/after-inbound': often('a message from the group is stored'),
  'files/made-message': often('a file is uploaded, and its message is encrypted'),
  'files/after-wire-message': often('a message with a file has been sent'),
  'files/after-file': often('the file of an incoming message is stored, but has no row', 2),
  'files/after-media.insertOne': often('the row of the file is stored, but the message is not', 2),
  'pre-keys/received-notification-encrypt': once('the network reports that few one-time keys are left'),
  'pre-keys/after-pre-keys': often('new one-time keys are stored, and their numbers are used up', 2),
  'pre-keys/after-wire-iq-registration': once('the new keys were published, but that is not recorded'),
  'pre-keys/received-iq-result': once('the network has accepted the new keys'),
  'features/after-channel_intents.insertOne': once('a channel is requested by a caller, but not from the network'),
  'features/after-wire-iq-query': once('the channel was requested from the network'),
  'features/received-iq-result': often('the channel is created, but its device has not processed the response', 3),
  'features/after-channels.insertOne': once('the channel is stored, after the response or a notification'),
  'features/after-channel_intents.updateOne': once('the request for the channel is closed, but its caller has no response yet'),
  'features/after-wire-iq-sync': often('a change of the account settings, or a request to read them, has been sent'),
  'features/received-iq-sync': often('the current account settings have arrived'),
  'features/after-settled-secrets': often('the version or the content of the account settings is stored'),
  'features/received-notification': often('the network reports a change of a channel, a label or a block'),
  'features/before-events.insertMany': often('the event about the change is about to be recorded'),
  'features/after-events.insertMany': often('the event is recorded, but the notification is not acknowledged'),
  'features/after-wire-ack': often('the notification is acknowledged'),
  'features/made-message': often('a post or a status is encoded'),
  'features/after-wire-message': often('the post or status has been sent'),
  'features/received-ack': often('the network has the post or status, but its device has not processed the ack'),
  'features/after-mark': often('the post or status is marked "sent"'),
  'features/after-status_views.insertOne': often('the view of a status is stored, but not acknowledged'),
  'groups/after-idempotency.insertOne': often('the key of a call is stored, but the network has not been asked', 2),
  'groups/after-wire-iq-create': once('a group or a community was requested'),
  'groups/received-iq-group': often('the group is created or read, but its device has not processed the response', 2),
  'groups/after-groups.insertOne': often('the group is stored, but its caller has no response yet'),
  'groups/after-wire-iq-add': once('the request to add members has been sent'),
  'groups/received-iq-add': once('one member is added and another can only be invited, but the device has not processed that'),
  'groups/before-accept': once('the invitation is about to be stored'),
  'groups/after-accept': once('the invitation is stored, but its caller has no response yet'),
  'groups/after-wire-message': once('the invitation has been sent'),
  'groups/after-mark': once('the invitation is marked "sent"'),
  'groups/after-idempotency.updateOne': often('the result of a call is stored, but its caller has no response yet', 2),
  'groups/after-wire-iq-remove': once('the request to remove a member has been sent'),
  'groups/received-iq-remove': once('the member is removed, but the device has not processed that'),
  'groups/after-wire-iq-subject': once('a new subject was requested'),
  'groups/received-iq-result': once('the group has the new subject, but the device has not processed that'),
  'groups/after-wire-iq-membership_approval_requests': once('the list of requests to join was requested'),
  'groups/after-wire-iq-membership_requests_action': once('the approval of a request to join has been sent'),
  'groups/received-iq-membership_requests_action': once('the person has joined, but the device has not processed that'),
  'groups/after-wire-iq-links': once('the request to link a group to a community has been sent'),
  'groups/received-iq-links': once('the group is linked, but the device has not processed that'),
  'groups/received-notification': often('the network reports a change'),
  'groups/before-events.insertMany': often('the change is known, and its event is about to be recorded'),
  'groups/after-events.insertMany': often('the event is recorded, but the notification is not acknowledged'),
  'groups/after-wire-ack': often('the notification is acknowledged'),
  'linking/received-iq-pair-success': once('a phone has agreed, but nothing of its login is stored'),
  'linking/before-secrets': once('a place for the login is stored, but not the login'),
  'linking/after-secrets': once('the login is stored, but the network has no confirmation'),
  'linking/after-wire-iq-pair-device-sign': once('the network has the confirmation'),
  'linking/received-success': once('the login is accepted for the first time'),
  'linking/after-pre-keys': often('some of the first one-time keys are stored', 2),
  'linking/after-wire-iq-registration': once('the first one-time keys were published'),
} as const satisfies Readonly<Record<string, PointFacts>>;

export type Point = keyof typeof POINTS;

export const ALL_POINTS: readonly Point[] = keysOf(POINTS);

export const factsOf = (point: Point): PointFacts => POINTS[point];

const SLASH = '/';

/** A point without a prefix uses texts. */
export const trafficOf = (point: Point): Traffic | 'linking' => LIVES.find((traffic) => point.startsWith(`${traffic}${SLASH}`)) ?? 'texts';

const LIVES = [...TRAFFICS, 'linking'] as const;

export const stepOfPoint = (point: Point): string => point.slice(point.indexOf(SLASH) + 1);
