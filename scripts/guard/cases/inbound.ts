import { CHAT_MARKS } from '../../../actors/network/chat-marks.ts';
import type { NetworkFact } from '../../../actors/network/facts.ts';
import type { GroupRecord } from '../../../actors/network/groups.ts';
import { userJid } from '../../../actors/network/jid.ts';
import type { Person } from '../../../actors/network/person.ts';
import type { ConnectionEvent, Content, FileContent, HistoryMessage, InboundAction, InboundMessage } from '../../../actors/network/port.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { keysOf } from '../../../runtime/keys-of.ts';
import { HOSTILE_TEXTS, type HostileText } from '../inputs/texts.ts';
import type { Case } from '../judge.ts';

interface Filling {
  readonly n: number;
  readonly text: string;
  readonly many: readonly string[];
  readonly phone: string;
}

interface Told {
  readonly event: ConnectionEvent;
  /** Token that the node acknowledges once it has stored the event; null for events without one. */
  readonly token: string | null;
}

type Builder = (filling: Filling) => Told;

const LONGEST_TEXT = 65_536;
const LONGEST_EVENT = 1_000_000;
const MANY = 1_000;
const ANSWERED_AFTER_MS = 4_000;

export function* inboundCases(): Generator<Case> {
  for (const text of HOSTILE_TEXTS) for (const [kind, build] of BUILDERS) yield caseOf(kind, text, build);
}

/** Number that makes each event unique, because a node ignores events that it already knows. */
let told = 0;

function caseOf(kind: string, { title, of }: HostileText, build: Builder): Case {
  const fill = (): Told => {
    told += 1;
    const base = { n: told, phone: `6285${String(systemClock.now() % 1e6).padStart(6, '0')}${String(told % 10_000).padStart(4, '0')}` };
    return fitting((length) => build({ ...base, text: of(length), many: Array.from({ length: many(length) }, () => of(short(length))) }));
  };
  return {
    kinds: [kind],
    title: `inbound ${kind}: ${title}`,
    bytes: LONGEST_EVENT,
    async attack({ subject, device }) {
      const { event, token } = fill();
      await subject.network.tell(device.id, event, token);
    },
    ...(kind === 'received text' && { settleMs: ANSWERED_AFTER_MS, isSlow: true }),
  };
}

const many = (length: number): number => Math.max(12, Math.floor((MANY * length) / LONGEST_TEXT));
const short = (length: number): number => Math.max(1, Math.floor(length / MANY));

function fitting(build: (length: number) => Told): Told {
  for (let length = LONGEST_TEXT; ; length = Math.floor(length / 2)) {
    const told = build(length);
    if (length < 2 || Buffer.byteLength(JSON.stringify(told.event)) < LONGEST_EVENT) return told;
  }
}

const inboundOf = ({ n, phone, text }: Filling, content: Content): InboundMessage => ({
  netId: `GUARD${n}.${phone}`,
  chat: userJid(phone),
  from: userJid(phone),
  fromName: text.slice(0, 200),
  content,
  quotes: null,
  at: systemClock.now(),
});

const actionOf = (filling: Filling): InboundAction => {
  const { content: _content, ...who } = inboundOf(filling, { type: 'text', body: '' });
  return { ...who, token: who.netId, target: 'GUARD' };
};

const fileOf = (type: FileContent['type'], text: string): FileContent => ({
  type,
  file: { contentType: text.slice(0, 1_000), filename: text, size: 1, sha256: '00' },
  caption: text,
  voiceNote: false,
});

const CONTENTS: { readonly [T in Content['type']]: (filling: Filling) => Content } = {
  text: ({ text: body }) => ({ type: 'text', body }),
  location: () => ({ type: 'location', lat: 1e308, lng: -1e308 }),
  contact: ({ text }) => ({ type: 'contact', name: text, phone: text }),
  poll: ({ text: name, many: choices }) => ({ type: 'poll', name, choices }),
  image: ({ text }) => fileOf('image', text),
  video: ({ text }) => fileOf('video', text),
  audio: ({ text }) => fileOf('audio', text),
  document: ({ text }) => fileOf('document', text),
  sticker: ({ text }) => fileOf('sticker', text),
};

const personOf = ({ text, phone }: Pick<Filling, 'text' | 'phone'>): Person => ({
  phone,
  lid: null,
  username: null,
  name: text.slice(0, 1_000),
});
const GROUP = '120363000000000001@g.us';

const groupOf = ({ text, many }: Filling): GroupRecord => ({
  id: GROUP,
  subject: text,
  owner: userJid('628'),
  creation: 1,
  description: text,
  size: many.length,
  announce: false,
  restrict: false,
  ephemeral: 0,
  joinApproval: false,
  memberAddMode: 'all',
  community: null,
  isCommunity: false,
  members: many.map((name, nth) => ({ id: userJid(`6281${nth}`), phone: `6281${nth}`, lid: null, username: null, name, admin: null })),
});

const inGroup = (filling: Filling) => ({ group_id: GROUP, by: personOf(filling) });
const inChannel = (filling: Filling) => ({ channel_id: '120363000000000002@newsletter', by: personOf(filling) });
const channelOf = ({ text }: Filling) => ({
  ...{ id: '120363000000000002@newsletter', name: text, description: text, role: 'follower' as const },
  ...{ muted: false, followers: 1, code: text, createdAt: 1 },
});
const labelled = { label_id: '1', chat: { chat_id: userJid('6281'), phone: '6281', lid: null } };

const FACTS: { readonly [F in NetworkFact['fact']]: (filling: Filling) => NetworkFact } = {
  'group.joined': (filling) => ({ fact: 'group.joined', ...inGroup(filling), reason: filling.text, group: groupOf(filling) }),
  'group.left': (filling) => ({ fact: 'group.left', ...inGroup(filling), reason: filling.text }),
  'group.updated': (filling) => ({
    ...{ fact: 'group.updated', ...inGroup(filling) },
    changed: { subject: filling.text, description: filling.text },
  }),
  'group.participants': (filling) => ({
    ...{ fact: 'group.participants', ...inGroup(filling), action: 'add', reason: filling.text },
    participants: filling.many.map((text, nth) => personOf({ text, phone: `6281${nth}` })),
  }),
  'group.join_request': (filling) => ({
    ...{ fact: 'group.join_request', ...inGroup(filling), action: 'created', method: filling.text },
    person: personOf(filling),
  }),
  'channel.joined': (filling) => ({ fact: 'channel.joined', ...inChannel(filling), channel: channelOf(filling) }),
  'channel.left': (filling) => ({ fact: 'channel.left', ...inChannel(filling), reason: filling.text }),
  'channel.updated': (filling) => ({
    ...{ fact: 'channel.updated', ...inChannel(filling) },
    changed: { name: filling.text, description: filling.text, state: filling.text },
  }),
  'account.updated': ({ text }) => ({ fact: 'account.updated', changed: { name: text, about: text } }),
  'blocklist.changed': ({ many }) => ({
    fact: 'blocklist.changed',
    blocked: many.map((text, nth) => personOf({ text, phone: `6281${nth}` })),
    unblocked: many.map((text, nth) => personOf({ text, phone: `6282${nth}` })),
  }),
  'label.updated': ({ text }) => ({ fact: 'label.updated', label: { id: text, name: text, color: 1 } }),
  'label.deleted': ({ text }) => ({ fact: 'label.deleted', label_id: text }),
  'label.assigned': () => ({ fact: 'label.assigned', ...labelled }),
  'label.unassigned': () => ({ fact: 'label.unassigned', ...labelled }),
};

const history = ({ many, ...filling }: Filling): readonly HistoryMessage[] =>
  many.map((text, nth) => ({
    ...inboundOf({ ...filling, many, text }, { type: 'text', body: text }),
    netId: `GUARDH${filling.phone}.${nth}`,
    isOurs: nth % 2 === 0,
  }));

const now = (): number => systemClock.now();
const kept = (event: ConnectionEvent, token: string): Told => ({ event, token });
const passing = (event: ConnectionEvent): Told => ({ event, token: null });
/** Marks events that only the driver creates, and that do not contain any text from other people. */
const OWN_WORD = null;

/** A new kind of event does not compile until it has a builder or is marked OWN_WORD. */
const EVENTS: { readonly [T in ConnectionEvent['type']]: readonly (readonly [kind: string, build: Builder])[] | null } = {
  qr: OWN_WORD,
  linked: OWN_WORD,
  credentials: OWN_WORD,
  closed: OWN_WORD,
  buildExpires: OWN_WORD,
  unknown: [['unknown', ({ text }) => passing({ type: 'unknown', kind: 'stanzas', name: text })]],
  passkeyAsked: OWN_WORD,
  passkeyConfirm: OWN_WORD,
  opened: [['opened', ({ text }) => passing({ type: 'opened', phone: '6281100000001', name: text, about: text })]],
  profile: [['profile', ({ text }) => passing({ type: 'profile', name: text, about: text })]],
  acked: [['acked', ({ text }) => passing({ type: 'acked', netId: text, at: now(), serverId: text })]],
  refused: [['refused', ({ text }) => passing({ type: 'refused', netId: text, reason: text })]],
  unwritten: [['unwritten', ({ text }) => passing({ type: 'unwritten', netId: text })]],
  received: keysOf(CONTENTS).map((type) => [`received ${type}`, (filling) => received('received', type, filling)]),
  wrote: keysOf(CONTENTS).map((type) => [`wrote ${type}`, (filling) => received('wrote', type, filling)]),
  receipt: [['receipt', ({ n, many: netIds }) => kept({ type: 'receipt', token: `R${n}`, netIds, status: 'read', at: now() }, `R${n}`)]],
  timer: [
    [
      'timer',
      ({ n, phone }) =>
        kept({ type: 'timer', token: `Z${n}`, chat: userJid(phone), from: userJid(phone), seconds: 86_400 * (n % 3), at: now() }, `Z${n}`),
    ],
  ],
  seen: [['seen', ({ n, phone, many: netIds }) => kept({ type: 'seen', token: `S${n}`, chat: userJid(phone), netIds }, `S${n}`)]],
  history: [['history', (filling) => kept({ type: 'history', token: `H${filling.n}`, messages: history(filling) }, `H${filling.n}`)]],
  reaction: [['reaction', (filling) => acted(filling, (action) => ({ type: 'reaction', emoji: filling.text, ...action }))]],
  edited: [['edited', (filling) => acted(filling, (action) => ({ type: 'edited', body: filling.text, ...action }))]],
  deleted: [['deleted', (filling) => acted(filling, (action) => ({ type: 'deleted', ...action }))]],
  vote: [['vote', (filling) => acted(filling, (action) => ({ type: 'vote', choices: filling.many, ...action }))]],
  callEnded: [
    [
      'callEnded',
      ({ n, phone, text }) => {
        const who = { chat: userJid(phone), from: userJid(phone) };
        const ended = { callId: text, outcome: 'missed', durationMs: null, at: now() } as const;
        return kept({ type: 'callEnded', token: `E${n}`, ...ended, ...who }, `E${n}`);
      },
    ],
  ],
  call: [
    [
      'call',
      ({ n, phone, text }) => {
        const who = { chat: userJid(phone), from: userJid(phone) };
        return kept({ type: 'call', token: `C${n}`, callId: text, video: false, at: now(), ...who }, `C${n}`);
      },
    ],
  ],
  identity: [
    [
      'identity',
      ({ n, phone, text }) => {
        const said = { username: null, source: 'usync', at: now() } as const;
        return kept({ type: 'identity', token: `I${n}`, address: `${text}@lid`, phone, ...said }, `I${n}`);
      },
    ],
  ],
  facts: keysOf(FACTS).map((fact) => [
    `fact ${fact}`,
    (filling) => kept({ type: 'facts', token: `F${filling.n}`, at: now(), facts: [FACTS[fact](filling)] }, `F${filling.n}`),
  ]),
  chatMarks: [
    [
      'chatMarks',
      ({ n, phone }) => {
        const marks = CHAT_MARKS.map((name) => ({ chat: userJid(phone), name, value: name === 'muted_until' ? now() : true, at: now() }));
        return kept({ type: 'chatMarks', token: `M${n}`, marks }, `M${n}`);
      },
    ],
  ],
  phoneChanges: [
    [
      'phoneChanges',
      ({ n, phone, many }) => {
        const chat = userJid(phone);
        const stars = many.map((netId) => ({ kind: 'starred' as const, chat, netId, from: chat, at: now() }));
        const saved = many.map((name) => ({ kind: 'saved' as const, chat, name, at: now() }));
        const changes = [...stars, ...saved, { kind: 'cleared' as const, chat, until: now(), at: now() }];
        return kept({ type: 'phoneChanges', token: `C${n}`, changes }, `C${n}`);
      },
    ],
  ],
  chatPresence: [
    ['chatPresence', ({ phone }) => passing({ type: 'chatPresence', chat: userJid(phone), from: userJid(phone), state: 'composing' })],
  ],
  memberReceipts: [
    [
      'memberReceipts',
      ({ n, phone, many }) => {
        const receipts = many.map((netId) => ({ netId, chat: userJid(phone), member: userJid(phone), what: 'read' as const, at: now() }));
        return kept({ type: 'memberReceipts', token: `G${n}`, receipts }, `G${n}`);
      },
    ],
  ],
  postStats: [
    [
      'postStats',
      ({ n, many }) => {
        const stats = {
          channel: '1@newsletter',
          serverId: '1',
          views: 1,
          reactions: Object.fromEntries(many.map((emoji, i) => [emoji + i, i])),
        };
        return kept({ type: 'postStats', token: `P${n}`, at: now(), stats }, `P${n}`);
      },
    ],
  ],
  statusViewed: [
    [
      'statusViewed',
      (filling) => {
        const { n, many: netIds } = filling;
        return kept({ type: 'statusViewed', token: `V${n}`, netIds, viewer: personOf(filling), at: now() }, `V${n}`);
      },
    ],
  ],
  groupsStale: [['groupsStale', ({ n }) => kept({ type: 'groupsStale', token: `G${n}` }, `G${n}`)]],
  restricted: [
    [
      'restricted',
      ({ n, text: reason }) => {
        const left = { until: null, newChatsUsed: null, newChatsQuota: null };
        return kept({ type: 'restricted', token: `X${n}`, reason, ...left }, `X${n}`);
      },
    ],
  ],
  lifted: [['lifted', ({ n }) => kept({ type: 'lifted', token: `L${n}` }, `L${n}`)]],
};

const BUILDERS = Object.values(EVENTS).flatMap((builders) => builders ?? []);

function received(as: 'received' | 'wrote', type: Content['type'], filling: Filling): Told {
  const message = inboundOf(filling, CONTENTS[type](filling));
  return kept({ type: as, message }, message.netId);
}

function acted(filling: Filling, event: (action: InboundAction) => ConnectionEvent): Told {
  const action = actionOf(filling);
  return kept(event(action), action.token);
}
