import type { WrittenAttribute, WrittenPart } from './files.ts';

const attribute = (name: string): WrittenAttribute => ({ name, kind: 'dynamic', required: false });
const sealed: WrittenPart = {
  tag: 'enc',
  attrs: ['v', 'type', 'count', 'mediatype', 'decrypt-fail', 'session_type', 'state'].map(attribute),
};
const participants: WrittenPart = {
  tag: 'participants',
  children: [{ tag: 'to', attrs: [attribute('jid')], children: [sealed], repeats: true }],
};

/** Children that a module's builders add in ways that the extraction does not follow. */
export const NOT_FOLLOWED: readonly { readonly modules: readonly string[]; readonly children: readonly WrittenPart[] }[] = [
  {
    modules: ['WAWebSendMsgCreateFanoutStanza', 'WAWebSendGroupSkmsgJob', 'WAWebEncryptAndSendStatusMsg'],
    children: [participants, sealed, { tag: 'device-identity' }],
  },
  { modules: ['WAWebSendGroupSkmsgJob'], children: [{ tag: 'reporting' }] },
  {
    modules: ['WAWebSendMsgCreateFanoutStanza', 'WAWebSendMsgCreateDeviceStanza'],
    children: [{ tag: 'tctoken' }, { tag: 'cstoken' }, { tag: 'reporting' }],
  },
];

interface Apart {
  readonly reason: string;
  /** Lines of `Grammar.check`. A trailing asterisk matches any suffix. */
  readonly faults: readonly string[];
}

const each = (before: string, names: readonly string[]): readonly string[] => names.map((name) => `${before} ${name}`);

/** Intended differences from the grammar. */
export const APART: readonly Apart[] = [
  {
    reason: 'the grammar does not hold these kinds: logins, notices, what the server asks, and answers to it',
    faults: [
      ...each('down', ['ib', 'success', 'failure', 'stream:error', 'notification', 'chatstate', 'presence']).map(
        (kind) => `${kind}: not described`,
      ),
      ...each('down iq', ['md set pair-device', 'md set pair-success']).map((kind) => `${kind}: not described`),
      ...each('up', ['ib', 'iq result', 'iq result pair-device-sign']).map((kind) => `${kind}: not described`),
    ],
  },
  {
    reason: 'the client asks these some other way today; whatsmeow asks like this, too',
    faults: [
      'up iq encrypt get count: not described',
      'up iq status get privacy: not described',
      'up iq w:g2 get sub_groups: not described',
      'up iq w:g2 set member_add_mode: not described',
      'up iq w:profile:picture set: not described',
      'up iq w:g2 query: attribute request is not known',
      'up iq w:g2 invite: no attribute code',
      'down iq w:g2 group: is missing',
      'down iq w:g2 invite: nobody reads it',
    ],
  },
  {
    reason: 'attributes of a request that come with a fragment which the extraction does not merge',
    faults: [
      ...each('up iq blocklist item: attribute', ['action is not known', 'jid is not known', 'pn_jid is not known']),
      ...each('up iq tos notice: attribute', ['id is not known', 'stage is not known']),
      ...each('up iq w:g2 create: attribute', ['key is not known', 'subject is not known']),
      'up iq w:g2 create parent: attribute default_membership_approval_mode is not known',
      'up iq w:profile:picture: attribute target is not known',
    ],
  },
  {
    reason: 'what a client says about calls is built elsewhere',
    faults: ['up call reject: not known'],
  },
  {
    reason: 'read by helpers which the extraction does not follow',
    faults: [
      ...each('down message: nobody reads attribute', [
        ...[
          'addressing_mode',
          'category',
          'edit',
          'notify',
          'participant_lid',
          'participant_pn',
          'peer_recipient_lid',
          'peer_recipient_pn',
        ],
        ...['recipient_lid', 'recipient_pn', 'sender_lid', 'sender_pn', 'server_id'],
      ]),
      ...each('down message: nobody reads attribute', [
        'participant_username',
        'peer_recipient_username',
        'recipient_username',
        'username',
      ]),
      'down message reaction: nobody reads it',
      'down call: nobody reads attribute offline',
      'down call offer: nobody reads it',
      'down call terminate: nobody reads it',
      'down iq usync*',
      'down iq w:sync:app:state sync: nobody reads it',
      'down iq w:m media_conn host: nobody reads it',
      'down iq w:biz business_profile*',
    ],
  },
  {
    reason: 'read on one branch of the parser only: what an own device wrote, a refused setting, a new picture',
    faults: [
      'down message: no attribute recipient',
      'down iq privacy privacy category error: is missing',
      'down iq w:profile:picture picture: is missing',
    ],
  },
  {
    reason: 'the phone of the other side wrote it, and the server passes it on',
    faults: ['down message enc: nobody reads attribute v', ...each('down receipt retry: nobody reads attribute', ['error', 't', 'v'])],
  },
  {
    reason: 'the builder of this question writes an id that is a number, and no other',
    faults: ['down iq status: id is no integer'],
  },
  {
    reason: 'to whom an own device wrote a list’s message: whatsmeow reads it, and the extraction does not look there',
    faults: ['down message participants: nobody reads it'],
  },
  {
    reason: 'an answer in the network’s other format, which the driver must tell from JSON',
    faults: ['down iq w:mex result: nobody reads attribute format'],
  },
  { reason: 'a kind that a test of what is not understood makes up', faults: ['down weather: not described'] },
  {
    reason: 'the library’s acks: whatsmeow names the recipient, too, and the library read `from` in the web client',
    faults: ['up ack: attribute from is not known', 'up ack: attribute recipient is not known'],
  },
  {
    reason: 'the library writes the digit in place of the byte, and phones link by code all the same',
    faults: ['up iq md link_code_companion_reg link_code_pairing_nonce: not 1 bytes'],
  },
  {
    reason: 'joining a group whose admins let people in is answered by the request; the extraction has the answer for a new link',
    faults: [
      'down iq w:g2 invite: is missing',
      ...each('down iq w:g2', ['membership_approval_request', 'group']).map((tag) => `${tag}: nobody reads it`),
    ],
  },
];

/** Whether a fault is an intended difference. */
export const isExcused = (fault: string): boolean => APART.some(({ faults }) => faults.some((one) => matches(one, fault)));

const matches = (pattern: string, fault: string): boolean =>
  pattern.endsWith('*') ? fault.startsWith(pattern.slice(0, -1)) : fault === pattern;
