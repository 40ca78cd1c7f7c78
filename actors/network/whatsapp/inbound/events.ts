import { cut } from '../../../domain/cut.ts';
import { timerOf } from '../../../domain/message-timers.ts';
import { usernameIn } from '../../../domain/usernames.ts';
import type { KnownSecret } from '../../content.ts';
import { isBroadcast, STORIES } from '../../jid.ts';
import { KIND_LABELS } from '../../kind-labels.ts';
import type { InboundAction, KeptEvent, OpenOrder, Whereabouts } from '../../port.ts';
import type { LinkedCreds } from '../keys/account.ts';
import type { Library, proto, WAMessage } from '../library.ts';
import { messageSecret } from '../outbound/compose.ts';
import { idIn } from './keyed-message.ts';
import { LAST_MOMENT, readContent, readUnwrapped, type Written } from './read-content.ts';
import { within } from './read-kinds.ts';
import { addressesOf, LABELS, openSealed } from './sealed.ts';
import { unwrap } from './unwrap.ts';

export interface Reader {
  readonly library: Library;
  readonly creds: LinkedCreds;
  readonly findSent: NonNullable<OpenOrder['findSent']>;
  readonly secretsOf: NonNullable<OpenOrder['secretsOf']>;
}

type Plain = proto.IMessage;

export async function eventsOf(reader: Reader, envelope: WAMessage, bytes: Uint8Array | null = null): Promise<KeptEvent | null> {
  const netId = envelope.key.id;
  if (!envelope.message || !netId) return null;
  const opened = unwrap(reader.library, envelope.message, bytes);
  const { plain } = opened;
  const isOurs = envelope.key.fromMe === true;
  const where = isOurs ? whereWeWrote(reader, envelope) : whereabouts(envelope);
  if (!where) return null;
  const common = { token: netId, netId, ...where, fromName: nameOf(envelope), at: atOf(envelope) };
  if (plain.reactionMessage)
    return { type: 'reaction', ...common, ...keyIn(plain.reactionMessage, common), emoji: plain.reactionMessage.text ?? '' };
  if (plain.pollUpdateMessage) return isOurs ? null : vote(reader, plain.pollUpdateMessage, envelope, common);
  const sealed = await sealedIn(reader, plain, envelope, common);
  if (sealed) return sealed;
  if (plain.protocolMessage) return doneIn(reader.library, plain.protocolMessage, common, isOurs);
  const written = readUnwrapped(reader.library, opened);
  if (!written) return null;
  return wrote(isOurs, common, {
    ...written,
    ...secretIn(envelope, plain),
    ...fileIn(envelope, written),
    ...(isOurs ? {} : nameOnNetwork(envelope)),
  });
}

const wrote = (isOurs: boolean, { token: _, ...message }: Common, written: Written): KeptEvent => ({
  type: isOurs ? 'wrote' : 'received',
  message: { ...message, ...written },
});

/** Includes the data needed to request the file from our phone. */
function fileIn({ key: { id, remoteJid, fromMe, participant } }: WAMessage, { file }: Written): Pick<Written, 'file'> {
  return file
    ? { file: { ...file, id: id ?? null, chat: remoteJid ?? null, fromMe: fromMe === true, participant: participant || null } }
    : {};
}

const SECRET_BYTES = 32;

/** Reads the message's secret. A forwarded copy has the same secret as the original. */
function secretIn({ messageSecret }: WAMessage, { messageContextInfo }: Plain): { readonly secret?: string } {
  const secret = messageContextInfo?.messageSecret ?? messageSecret;
  return secret?.length === SECRET_BYTES ? { secret: Buffer.from(secret).toString('base64') } : {};
}

async function sealedIn(reader: Reader, plain: Plain, envelope: WAMessage, common: Common): Promise<KeptEvent | null> {
  const { secretEncryptedMessage: edit, encReactionMessage: reaction, encCommentMessage: comment } = plain;
  const envelopeIn = edit ?? reaction ?? comment;
  if (!envelopeIn) return null;
  const target = idIn(envelopeIn.targetMessageKey?.id);
  const labels = reaction ? LABELS.reaction : comment ? LABELS.comment : labelsOf(Number(edit?.secretEncType ?? 0));
  const { me } = reader.creds;
  const makers = addressesOf(envelope, [me.id, me.lid]);
  const bytes = openSealed(envelopeIn, await secretsOf(reader, target, common), { target, makers, labels });
  const isOurs = envelope.key.fromMe === true;
  if (reaction) return bytes && { type: 'reaction', ...common, target, emoji: emojiIn(reader.library, bytes) };
  const field = edit ? 82 : 71;
  const opened = bytes && decoded(reader.library, bytes);
  if (!opened) return wrote(isOurs, common, unreadable(field, target));
  if (comment) {
    const said = textOf(reader.library, opened) ?? '';
    const extras = { kind: 'comment', content: { target } } as const;
    return wrote(isOurs, common, { content: { type: 'text', body: said }, quotes: target, extras });
  }
  return editedTo(reader.library, opened.protocolMessage?.editedMessage ?? opened, { common, target, field, isOurs });
}

interface Edit {
  readonly common: Common;
  readonly target: string;
  readonly field: number;
  readonly isOurs: boolean;
}

function editedTo(library: Library, edited: Plain, { common, target, field, isOurs }: Edit): KeptEvent {
  const body = titleOf(library, edited);
  return body === null ? wrote(isOurs, common, unreadable(field, target)) : { type: 'edited', ...common, target, body };
}

const labelsOf = (type: number): readonly string[] => (type === 1 ? LABELS.eventEdit : type === 2 ? LABELS.edit : LABELS.pollEdit);

const unreadable = (field: number, quotes: string): Written => ({
  content: { type: 'text', body: KIND_LABELS.unsupported },
  quotes: quotes || null,
  extras: { kind: 'unsupported', content: { field } },
});

async function secretsOf({ secretsOf: kept, creds }: Reader, target: string, where: Whereabouts): Promise<readonly KnownSecret[]> {
  const own = known(creds.me.id, creds.me.lid).map((jid) => jid.replace(/:\d+(?=@)/, ''));
  const others = (await kept(target, where)).map(({ secret, authors }) => ({ secret, authors: authors.length > 0 ? authors : own }));
  return [...others, { secret: messageSecret(creds, target).toString('base64'), authors: own }];
}

function emojiIn({ proto }: Library, bytes: Uint8Array): string {
  try {
    return proto.Message.ReactionMessage.decode(bytes).text ?? '';
  } catch {
    return '';
  }
}

function decoded({ proto }: Library, bytes: Uint8Array): Plain | null {
  try {
    return proto.Message.decode(bytes);
  } catch {
    return null;
  }
}

function titleOf(library: Library, edited: Plain): string | null {
  const content = readContent(library, edited)?.content;
  return content?.type === 'poll' ? content.name : textOf(library, edited);
}

/** Maximum length of a name. Custom clients may send 60 KB, which would be stored in every chat. */
const MAX_NAME = 200;

const nameOf = ({ pushName }: WAMessage): string | null => (typeof pushName === 'string' ? cut(pushName, MAX_NAME) : null);

function nameOnNetwork({ key }: WAMessage): { readonly fromUsername?: string } {
  const fromUsername = usernameIn(key.participant ? key.participantUsername : key.remoteJidUsername);
  return fromUsername === null ? {} : { fromUsername };
}

type Common = { token: string; netId: string; fromName: string | null; at: number } & Whereabouts;

function doneIn(library: Library, act: proto.Message.IProtocolMessage, common: Common, isOurs: boolean): KeptEvent | null {
  const { MESSAGE_EDIT, REVOKE, EPHEMERAL_SETTING } = library.proto.Message.ProtocolMessage.Type;
  if (act.type === EPHEMERAL_SETTING) return timerSet(act, common);
  if (act.type === REVOKE) return { type: 'deleted', ...common, ...keyIn(act, common) };
  if (act.type !== MESSAGE_EDIT || !act.editedMessage) return null;
  return editedTo(library, act.editedMessage, { common, target: targetOf(act), field: EDIT_FIELD, isOurs });
}

const EDIT_FIELD = 12;

/** Ignores groups, because only the server sets their timers. */
function timerSet({ ephemeralExpiration }: proto.Message.IProtocolMessage, { token, at, chat, from, ...other }: Common): KeptEvent | null {
  const seconds = timerOf(Number(ephemeralExpiration ?? 0));
  if (seconds === null || chat.endsWith('@g.us')) return null;
  const alt = { ...(other.chatAlt && { chatAlt: other.chatAlt }), ...(other.fromAlt && { fromAlt: other.fromAlt }) };
  return { type: 'timer', token, chat, from, ...alt, seconds, at };
}

function textOf(library: Library, edited: Plain): string | null {
  const content = readContent(library, edited)?.content;
  if (!content) return null;
  if (content.type === 'text') return content.body;
  return 'file' in content ? (content.caption ?? '') : null;
}

function keyIn(act: { key?: proto.IMessageKey | null }, { from, chat }: Common): Pick<InboundAction, 'target' | 'targetFrom'> {
  const { fromMe, participant } = act.key ?? {};
  const author = idIn(participant) || (chat.endsWith('@g.us') ? null : chat);
  return { target: targetOf(act), ...(fromMe ? { targetFrom: from } : author && { targetFrom: author }) };
}

const targetOf = ({ key }: { key?: proto.IMessageKey | null }): string => idIn(key?.id);

/** Only votes in our own polls can be read: choices are encrypted with the poll's secret. */
async function vote(
  reader: Reader,
  update: proto.Message.IPollUpdateMessage,
  envelope: WAMessage,
  common: Common,
): Promise<KeptEvent | null> {
  const target = idIn(update.pollCreationMessageKey?.id);
  const poll = await reader.findSent(target);
  if (poll?.content.type !== 'poll' || !update.vote) return null;
  const opened = await openVote(reader, update.vote, envelope, { target, where: common });
  if (!opened) return null;
  const chosen = new Set((opened.selectedOptions ?? []).map((hash) => Buffer.from(hash).toString('hex')));
  const choices = poll.content.choices.filter((choice) => chosen.has(hashOf(reader.library, choice)));
  return { type: 'vote', ...common, target, choices };
}

const hashOf = (library: Library, choice: string): string => library.sha256(Buffer.from(choice)).toString('hex');

/** Tries all combinations, because the voter and the poll's author may each have used either address. */
async function openVote(
  reader: Reader,
  sealed: proto.Message.IPollEncValue,
  { key }: WAMessage,
  { target: pollMsgId, where }: { readonly target: string; readonly where: Whereabouts },
) {
  const { library, creds } = reader;
  const secrets = await secretsOf(reader, pollMsgId, where);
  for (const voterJid of known(key.participant || key.remoteJid, key.participantAlt, key.remoteJidAlt)) {
    for (const pollCreatorJid of known(creds.me.id, creds.me.lid)) {
      for (const { secret } of secrets) {
        try {
          return library.decryptPollVote(sealed, {
            pollEncKey: Buffer.from(secret, 'base64'),
            pollMsgId,
            pollCreatorJid: library.jidNormalizedUser(pollCreatorJid),
            voterJid: library.jidNormalizedUser(voterJid),
          });
        } catch {
          // The vote was encrypted for other addresses or for another poll, so try the next combination.
        }
      }
    }
  }
  return null;
}

const known = (...jids: readonly (string | null | undefined)[]): string[] => jids.flatMap((jid) => (jid ? [jid] : []));

/** If a message to a broadcast list reaches us, it belongs to the 1:1 chat with its author. */
function whereabouts({ key }: WAMessage): Whereabouts {
  const isOfList = isBroadcast(key.remoteJid ?? '') && key.remoteJid !== STORIES && !!key.participant;
  const chat = (isOfList ? bare(key.participant) : key.remoteJid) ?? '';
  if (isOfList) {
    const alt = bare(key.participantAlt);
    return { chat, from: chat, ...(alt && { chatAlt: alt, fromAlt: alt }) };
  }
  const from = key.participant || chat;
  const fromAlt = bare(key.participant ? key.participantAlt : key.remoteJidAlt);
  const chatAlt = key.participant ? null : fromAlt;
  return { chat, from, ...(chatAlt && { chatAlt }), ...(fromAlt && { fromAlt }) };
}

function whereWeWrote({ library, creds: { me } }: Reader, { key }: WAMessage): Whereabouts | null {
  const chat = bare(key.remoteJid) ?? '';
  const isGroup = library.isJidGroup(chat);
  const isList = chat !== STORIES && isBroadcast(chat);
  if (!isGroup && !isList && !library.isPnUser(chat) && !library.isLidUser(chat)) return null;
  const alt = bare(isGroup || isList ? null : key.remoteJidAlt);
  const isMine = library.areJidsSameUser(alt ?? undefined, me.id) || library.areJidsSameUser(alt ?? undefined, me.lid);
  return { chat, from: library.jidNormalizedUser(me.id), ...(alt && !isMine && { chatAlt: alt }) };
}

const bare = (jid: string | null | undefined): string | null => (jid ? jid.replace(/:\d+(?=@)/, '') : null);

const atOf = ({ messageTimestamp }: WAMessage): number => within(LAST_MOMENT, messageTimestamp) * 1_000;
