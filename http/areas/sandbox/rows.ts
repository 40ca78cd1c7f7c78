import Joi from 'joi';
import { buildIn } from '../../../actors/domain/client-build.ts';
import { MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import type { FaultBody, NetworkBody, PhoneBody, SandboxVerbs, ScanBody } from '../../../actors/network/sandbox/api.ts';
import { CALL_ACTS, type CallAct } from '../../../actors/network/sandbox/call-acts.ts';
import { CHANNEL_ACTS, type ChannelAct } from '../../../actors/network/sandbox/channel-acts.ts';
import { MEDIA_STATES } from '../../../actors/network/sandbox/chat-forms.ts';
import type { DeviceBody } from '../../../actors/network/sandbox/device-account.ts';
import { GESTURE_ACTS, type GestureAct } from '../../../actors/network/sandbox/gesture-acts.ts';
import type { GroupAct } from '../../../actors/network/sandbox/group-acts.ts';
import { MARK_ACTS, type MarkAct, MESSAGE_ACTS } from '../../../actors/network/sandbox/marked-chats.ts';
import type { PasskeyAct } from '../../../actors/network/sandbox/passkey-acts.ts';
import type { PersonAct } from '../../../actors/network/sandbox/person-acts.ts';
import { FAULT_KINDS } from '../../../actors/network/sandbox/protocol.ts';
import { type Area, Raw, rowsFor } from '../../core/row.ts';
import { requiredWhen, Timestamp } from '../../core/schemas.ts';
import { SETTINGS } from '../groups/event-schemas.ts';
import { historyRows } from './history-rows.ts';
import { officialRows } from './official-rows.ts';
import { oldClientRows } from './old-client-rows.ts';
import { changes, Phone, Switch } from './phone-settings.ts';
import { written } from './written.ts';

export type SandboxServices = SandboxVerbs;

interface AtPhone {
  phone: string;
}

const atPhone = Joi.object<AtPhone, true>({ phone: Phone });

const Members = Joi.array().items(Phone.optional()).min(1).max(1_024).required().example(['6281234567890', '6281100000001']);

const shown = Joi.object({
  id: Joi.string().required().description("The network's id"),
  from: Joi.string().required(),
  to: Joi.string().required(),
  type: Joi.string().required(),
  body: Joi.string().allow('', null).required(),
  at: Timestamp.required(),
  reply_to: Joi.string().allow(null).required(),
})
  .meta({ title: 'SandboxMessage' })
  .unknown();

const presence = Joi.object({ from: Joi.string().required(), chat: Joi.string().required(), state: Joi.string().required() });

const madeCall = Joi.object({
  id: Joi.string().required(),
  to: Joi.string().required(),
  state: Joi.string().valid('ringing', 'rejected', 'answered', 'missed', 'ended').required(),
});

const forms = {
  media: Joi.string()
    .valid(...MEDIA_STATES)
    .description(
      'How the file server behaves: `gone`: the phone uploads a file again on request; `silent`: it never responds; `changed`: it returns different bytes',
    ),
  migrated: Joi.boolean()
    .allow(null)
    .description('Whether the chats of the account were moved to hidden addresses; null if both kinds of address are accepted'),
  older_history: Joi.number()
    .integer()
    .min(0)
    .max(1_000_000)
    .description('Number of older messages per chat that the phone invents when asked for them'),
  refuses_changes: Switch.description('True: the phone refuses changes that its devices make to chats'),
  requires_token: Switch.description('True: the number can only write to people who wrote to it before; other sends are refused with 463'),
};
const ShownTimers = Joi.object()
  .pattern(Joi.string(), Joi.number().integer())
  .required()
  .description('Seconds after which messages disappear, by chat: digits, or the address of a group');
const Chats = Joi.array().items(Joi.string().required()).required();
const ShownDevice = Joi.object({
  phone: Joi.string().required(),
  ...forms,
  archived: Chats.description('Chats as the phone shows them, by digits or the address of a group').example(['6281234567890']),
  pinned: Chats.example(['6281234567890']),
  unread: Chats.example([]),
  muted: Joi.object().pattern(Joi.string(), Joi.number().integer()).required().description('Until when, epoch ms, by chat'),
  timers: ShownTimers,
  presence: Joi.string().valid('available', 'unavailable').required().description('How the account appears through a device'),
});
const Build = Joi.string()
  .custom((text: string, { error }) => {
    const version = /^\d+$/.test(text) ? `2.3000.${text}` : text;
    return buildIn(version) === null ? error('string.pattern.base', { name: 'version' }) : version;
  })
  .example('2.3000.1050000000');
const networkChanges = {
  current_build: Build,
  min_build: Build.allow(null).description('null if every build is accepted'),
  notice_expires_at: Joi.number().integer().min(0).allow(null).description('Epoch ms; null if no end is announced'),
};
const Limit = Joi.number().integer().min(1);
const ok = Joi.object({ ok: Joi.boolean().valid(true).required() });

const MEMBER_ACTS = ['add', 'remove', 'promote', 'demote', 'approve', 'reject'] as const;
const Act = Joi.string()
  .valid(
    'create_group',
    'set_group',
    ...MEMBER_ACTS,
    'join',
    'withdraw',
    'leave',
    ...CHANNEL_ACTS,
    'share_number',
    'change_number',
    'write_own',
    'set_timer',
    'preferences',
    'sign_passkey',
    'confirm_passkey',
    ...MARK_ACTS,
    ...CALL_ACTS,
    ...GESTURE_ACTS,
  )
  .required();
const Address = Joi.string().max(64);
const MessageId = Joi.string().max(64);

/** `act` determines which fields apply; all others are ignored. */
const Acted = Joi.object<GroupAct | ChannelAct | PersonAct | PasskeyAct | MarkAct | CallAct | GestureAct>({
  act: Act,
  id: requiredWhen(Address, 'act', 'set_group', ...MEMBER_ACTS, 'withdraw', 'leave', 'unfollow').description(
    'The address of the group or the channel',
  ),
  code: requiredWhen(Joi.string().max(64), 'act', 'join', 'follow', 'confirm_passkey').description(
    'The code of an invite, or the code that the device shows after its passkey was accepted',
  ),
  options: requiredWhen(Joi.object().unknown(), 'act', 'sign_passkey').description(
    'The options of the passkey request; the answer has the `credential`. The phone then also needs `confirm_passkey`, before or after the device confirms',
  ),
  to: requiredWhen(
    Joi.string().max(64),
    'act',
    'share_number',
    'change_number',
    'write_own',
    'set_timer',
    'preferences',
    'call',
    'typing',
  ).description(
    'The number to call, to share this number with, to change to, or to which the owner writes; `list`: write to `recipients`. For `set_timer` also the address of a group',
  ),
  body: requiredWhen(Joi.string().max(MAX_TEXT_LENGTH), 'act', 'write_own').description(
    'The text that the owner of a linked number writes on the phone',
  ),
  chat: requiredWhen(Address, 'act', ...MARK_ACTS).description('The chat on the linked phone: digits, an address or a group'),
  call_id: requiredWhen(MessageId, 'act', 'answer', 'hang_up', 'miss').description('The id of a call that this phone made or receives'),
  video: Joi.boolean().description('Only for calls'),
  group_id: Address.description('For a call: calls the members of this group'),
  state: Joi.string().valid('composing', 'recording', 'paused').description('For `typing`; default: `composing`'),
  on: Joi.boolean().description('False: remove the mark'),
  until: Joi.number().integer().min(0).description('End of a mute, epoch ms; absent: forever'),
  recipients: Joi.array().items(Phone.optional()).max(256).description('For `write_own` to a `list`'),
  marketing: requiredWhen(Joi.string().valid('stop', 'resume'), 'act', 'preferences').description(
    'For an official number: whether the person wants its marketing messages',
  ),
  participants: requiredWhen(Joi.array().items(Phone.optional()).max(1_024), 'act', 'create_group', ...MEMBER_ACTS),
  subject: requiredWhen(Joi.string().max(100), 'act', 'create_group'),
  name: requiredWhen(Joi.string().min(1).max(100), 'act', 'create_channel').description('The name of a channel'),
  message_id: requiredWhen(MessageId, 'act', 'view', 'react', 'play', ...MESSAGE_ACTS).description(
    'The id, as this phone shows it, of a post or a status; for `play`, of a voice message or a video; else of any message',
  ),
  emoji: requiredWhen(Joi.string().max(32).allow(''), 'act', 'react').description('Empty: removes the reaction'),
  description: Joi.string().max(2_048).allow('', null),
  ...SETTINGS,
  ephemeral: requiredWhen(Joi.number().integer().min(0), 'act', 'set_timer')
    .unit('seconds')
    .description('Seconds after which messages of the chat or the group disappear; 0: never'),
});

const row = rowsFor<SandboxServices>();

const CHANGES_NETWORK = { loopback: true, audit: { none: 'the simulated phone network is not part of the gateway' } } as const;

export const sandbox: Area<SandboxServices> = {
  name: 'sandbox',
  about:
    'The phones of the sandbox network: read what they received, write as them, link devices, cause faults. Only for callers on this machine.',
  rows: [
    row({
      id: 'readSandboxPhone',
      method: 'GET',
      path: '/sandbox/phones/{phone}/messages',
      summary: "List a phone's messages",
      about: 'List the messages that a phone received, newest first, with later edits and reactions. One-time codes arrive here',
      access: 'none',
      loopback: true,
      params: atPhone,
      query: Joi.object<{ limit: number }>({ limit: Limit.max(500).default(50) }),
      status: 200,
      returns: Joi.object({ messages: Joi.array().items(shown).required() }),
      run: (verbs, call) => verbs.messages(call.params.phone, call.query),
    }),
    row({
      id: 'writeAsSandboxPhone',
      method: 'POST',
      path: '/sandbox/phones/{phone}/messages',
      summary: 'Write as a phone',
      about: 'Make a phone write to a device or a group, act on a message, or call. The phone of a device can write to anybody',
      access: 'none',
      ...CHANGES_NETWORK,
      params: atPhone,
      body: written,
      status: 201,
      returns: shown,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: (verbs, call) => verbs.write(call.params.phone, call.body),
    }),
    row({
      id: 'scanWithSandboxPhone',
      method: 'POST',
      path: '/sandbox/phones/{phone}/scan',
      summary: 'Scan with a phone',
      about: 'Make a phone link the device that shows this code',
      access: 'none',
      ...CHANGES_NETWORK,
      params: atPhone,
      body: Joi.object<ScanBody>({ qr: Joi.string().max(1_000), pairing_code: Joi.string().max(20) }).or('qr', 'pairing_code'),
      status: 200,
      returns: ok,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: (verbs, call) => verbs.scan(call.params.phone, call.body),
    }),
    row({
      id: 'getSandboxPhone',
      method: 'GET',
      path: '/sandbox/phones/{phone}',
      summary: 'Get a phone',
      about: 'Get the settings of a phone, who is typing to it, and the calls that it made',
      access: 'none',
      loopback: true,
      params: atPhone,
      status: 200,
      returns: Joi.object({
        phone: Joi.string().required(),
        ...changes,
        presences: Joi.array().items(presence).required(),
        calls: Joi.array().items(madeCall).required(),
      }),
      run: (verbs, call) => verbs.phone(call.params.phone),
    }),
    row({
      id: 'changeSandboxPhone',
      method: 'PATCH',
      path: '/sandbox/phones/{phone}',
      summary: 'Update a phone',
      example: { online: true, name: 'Anna' },
      about: 'Change settings of a phone, such as offline, read receipts, name, about text and hidden number',
      access: 'none',
      ...CHANGES_NETWORK,
      params: atPhone,
      body: Joi.object<PhoneBody>(changes),
      status: 200,
      returns: Joi.object({ phone: Joi.string().required(), ...changes }),
      run: (verbs, call) => verbs.change(call.params.phone, call.body),
    }),
    row({
      id: 'createSandboxGroup',
      method: 'POST',
      path: '/sandbox/groups',
      summary: 'Create a group',
      about: 'Create a group of phones and device numbers. Each member can write to the address of the group',
      access: 'none',
      ...CHANGES_NETWORK,
      body: Joi.object<{ members: readonly string[] }>({ members: Members }),
      status: 201,
      returns: Joi.object({ group: Joi.string().required().description('The address of the group') }),
      run: (verbs, { body }) => verbs.createGroup(body),
    }),
    row({
      id: 'actAsSandboxPhone',
      method: 'POST',
      path: '/sandbox/phones/{phone}/acts',
      summary: 'Act as a phone',
      about:
        'Make a phone act on groups, channels, statuses, its own number, or the passkey of a device that it is linking. 403 if the network does not allow this phone to do it. 409 if there is nothing to do',
      example: { act: 'create_group', subject: 'Neighbours', participants: ['6281100000001'] },
      access: 'none',
      ...CHANGES_NETWORK,
      params: atPhone,
      body: Acted,
      status: 200,
      returns: ok.unknown(),
      refuses: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
      run: (verbs, call) => verbs.act(call.params.phone, call.body),
    }),
    row({
      id: 'faultSandboxDevice',
      method: 'POST',
      path: '/sandbox/devices/{phone}/fault',
      summary: 'Simulate a fault',
      about: 'Simulate a fault for the device that is linked to a number',
      access: 'none',
      ...CHANGES_NETWORK,
      params: atPhone,
      body: Joi.object<FaultBody>({
        kind: Joi.string()
          .valid(...FAULT_KINDS)
          .required(),
        for_ms: Joi.number().integer().min(1).max(86_400_000).description('How long the fault lasts').unit('ms'),
        code: Joi.number()
          .integer()
          .min(400)
          .max(599)
          .description('For `ack`: the error number with which messages are refused; default: 503'),
        times: Joi.number().integer().min(0).max(100_000).description('For `ack`: how many messages are refused; default: 1'),
        backoff_s: Joi.number().integer().min(1).max(86_400).description('For `ack`: how long the network asks to wait').unit('s'),
      }),
      status: 200,
      returns: ok,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: (verbs, call) => verbs.fault(call.params.phone, call.body),
    }),
    row({
      id: 'getSandboxDevice',
      method: 'GET',
      path: '/sandbox/devices/{phone}',
      summary: 'Get the account of a device',
      about: 'Get how the network handles messages from the devices that are linked to a number',
      access: 'none',
      loopback: true,
      params: atPhone,
      status: 200,
      returns: ShownDevice,
      run: (verbs, call) => verbs.device(call.params.phone),
    }),
    row({
      id: 'changeSandboxDevice',
      method: 'PATCH',
      path: '/sandbox/devices/{phone}',
      summary: 'Update the account of a device',
      example: { migrated: true },
      about: 'Move its chats to hidden addresses, or require tokens. Messages show how they were addressed',
      access: 'none',
      ...CHANGES_NETWORK,
      params: atPhone,
      body: Joi.object<DeviceBody>(forms),
      status: 200,
      returns: ShownDevice,
      run: (verbs, call) => verbs.changeDevice(call.params.phone, call.body),
    }),
    row({
      id: 'changeSandboxNetwork',
      method: 'PATCH',
      path: '/sandbox/network',
      summary: 'Change the network',
      about:
        'Set the client build that the network reports as current, the oldest one that it accepts (older logins are refused with 405), and the end that it announces for the build of each login. Connected devices stay connected',
      example: { current_build: '2.3000.1050000000', min_build: '2.3000.1050000000' },
      access: 'none',
      ...CHANGES_NETWORK,
      body: Joi.object<NetworkBody>(networkChanges),
      status: 200,
      returns: Joi.object(networkChanges),
      run: (verbs, call) => verbs.changeNetwork(call.body),
    }),
    row({
      id: 'readSandboxBuild',
      method: 'GET',
      path: '/sandbox/sw.js',
      summary: 'Get the current build',
      about: 'Get the page with the current client build, in the format of the real network',
      access: 'none',
      loopback: true,
      status: 200,
      produces: ['text/javascript'],
      returns: Joi.any(),
      run: (verbs) => new Raw(verbs.buildPage(), 'text/javascript; charset=utf-8'),
    }),
    row({
      id: 'readSandboxJournal',
      method: 'GET',
      path: '/sandbox/journal',
      summary: "Read the network's journal",
      about: 'List everything that happened on the network, oldest first, so that tests can check it',
      access: 'none',
      loopback: true,
      query: Joi.object<{ after: number; limit: number }>({
        after: Joi.number().integer().min(0).default(0).description('`next` of the previous response'),
        limit: Limit.max(10_000).default(1_000),
      }),
      status: 200,
      returns: Joi.object({ entries: Joi.array().items(Joi.object().unknown()).required(), next: Joi.number().integer().required() }),
      run: (verbs, call) => verbs.journal(call.query),
    }),
    ...oldClientRows,
    ...historyRows,
    ...officialRows,
  ],
};
