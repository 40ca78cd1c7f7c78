import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';
import { codeOf, Refusal } from '../../../runtime/errors.ts';
import { GatewayError } from '../../client/client.ts';
import { type ChatwootMessage, ChatwootRefusal, type Conversation } from './api.ts';
import { kindOfFile, textFrom } from './content.ts';
import { type Bridge, OWN, type WorkOf } from './context.ts';
import { ignoringGone } from './inbound.ts';
import { isPlaced, type Placed, reachedIn, unknownPerson } from './people.ts';
import { TryAgain } from './refused.ts';
import type { Answer, Job } from './state.ts';

/**
 * From Chatwoot to the gateway. A webhook only names a conversation, which the bridge then reads to
 * send messages not sent yet. Webhooks may therefore come late, twice, out of order or not at all.
 * Invariant: each part of an agent's message has one `Idempotency-Key`, and the uploaded file for
 * that key is stored before the request.
 */

/** Messages newer than this are read again, because a message with a lower id may still appear. */
const UNSETTLED_MS = 60_000;
/** A request is not retried after this time, because the gateway forgets keys after 24 hours. */
const KEY_MS = 20 * 3_600_000;
/** Older replies are not sent. The person no longer expects them, and the state file forgets sent ones. */
const MAX_AGE_MS = 7 * 86_400_000;
const MAX_CAPTION = 1_024;
const CHATWOOT_PAGE = 20;

const isFinal = (cause: unknown): cause is GatewayError =>
  cause instanceof GatewayError && [400, 402, 404, 409, 413, 415, 422].includes(cause.status) && cause.code !== 'IDEMPOTENCY_IN_PROGRESS';

export async function look(bridge: Bridge, { conversation }: WorkOf<'look'>, job: Job): Promise<void> {
  const { state, clock } = bridge;
  const known = state.personIn(conversation) ?? (await adopted(bridge, conversation));
  if (!known || !isPlaced(known)) return;
  if (job.lane !== known.chat) {
    state.move(job, known.chat);
    throw new TryAgain(clock.now(), 'the work continues in its chat');
  }
  const messages = await unread(bridge, known);
  for (const message of messages) {
    if (message.isDeleted) await erase(bridge, message.id);
    else if (message.id > known.reached && isAnswer(bridge, message)) await send(bridge, known, message);
  }
  const settled = messages.filter(({ createdAt }) => createdAt < clock.now() - UNSETTLED_MS).at(-1);
  if (settled) state.reach(conversation, settled.id);
}

async function unread({ chatwoot }: Bridge, { conversation, reached }: Placed): Promise<readonly ChatwootMessage[]> {
  const latest = await chatwoot.messages(conversation).catch((cause: unknown) => {
    if (cause instanceof ChatwootRefusal && cause.status === 404) return [];
    throw cause;
  });
  const [oldest] = latest;
  if (!oldest || oldest.id <= reached || latest.length < CHATWOOT_PAGE) return latest;
  const earlier: ChatwootMessage[] = [];
  for (let after = reached; ; ) {
    const page = (await chatwoot.messages(conversation, { after })).filter(({ id }) => id < oldest.id);
    earlier.push(...page);
    const last = page.at(-1);
    if (!last || last.id <= after) return [...earlier, ...latest];
    after = last.id;
  }
}

function isAnswer({ state, clock }: Bridge, { id, type, isPrivate, source, createdAt }: ChatwootMessage): boolean {
  const isDue = createdAt > clock.now() - MAX_AGE_MS && createdAt >= Number(state.setting('since'));
  const isForPerson = (type === 'outgoing' || type === 'template') && !isPrivate && isDue;
  return isForPerson && !source?.startsWith(OWN) && !state.isDone(`cw:${id}`) && state.mirrorOf(id) === null;
}

/** For a known contact, the stored address is used, because agents can edit the contact's fields. */
async function adopted(bridge: Bridge, id: number) {
  const { chatwoot, state, settings } = bridge;
  const found = await chatwoot.conversation(id).catch((cause: unknown) => {
    if (cause instanceof ChatwootRefusal && cause.status === 404) return null;
    throw cause;
  });
  if (!found || found.inbox !== settings.inbox) return null;
  const chat = chatOf(bridge, found);
  if (chat === null) return null;
  const known = state.person(chat);
  const person = {
    ...(known ?? { ...unknownPerson(chat), contact: found.contact?.id ?? null }),
    conversation: id,
    reached: await reachedIn(bridge, found),
  };
  // If the bridge already has a conversation with this person, new messages still go there.
  if (known?.conversation) return { ...person, chat: known.chat };
  state.save(person);
  return person;
}

function chatOf({ state }: Bridge, { contact }: Conversation): string | null {
  if (!contact) return null;
  const known = state.personOf(contact.id);
  if (known) return known.chat;
  if (contact.identifier?.startsWith(OWN)) return contact.identifier.slice(OWN.length);
  const digits = contact.phone?.replace(/\D/g, '') ?? '';
  return digits === '' ? null : `${digits}@s.whatsapp.net`;
}

type Part = { readonly file: ChatwootMessage['files'][number]; readonly caption: string } | { readonly text: string };

/** Only the first file can carry the text as its caption. */
function partsOf({ content, files }: ChatwootMessage, agent: string | null): readonly Part[] {
  const text = textFrom(content, agent);
  const [first, ...rest] = files;
  if (!first) return text === '' ? [] : [{ text }];
  const fits = text.length <= MAX_CAPTION && kindOfFile(first.type) !== 'audio';
  const others = rest.map((file) => ({ file, caption: '' }));
  return fits ? [{ file: first, caption: text }, ...others] : [{ text }, { file: first, caption: '' }, ...others];
}

async function send(bridge: Bridge, person: Placed, message: ChatwootMessage): Promise<void> {
  const { state, clock, settings, chatwoot } = bridge;
  const parts = partsOf(message, settings.isSigned ? message.agent : null);
  try {
    for (const [nth, part] of parts.entries()) await sendPart(bridge, person, message, nth, part);
  } catch (cause) {
    const reason = refusedFor(cause);
    if (reason === null) throw cause;
    await ignoringGone(chatwoot.setStatus(person.conversation, message.id, 'failed', reason));
  }
  state.markDone(`cw:${message.id}`, person.chat, clock.now());
}

/** Returns the reason why this message can never be sent; null if a retry may succeed. */
function refusedFor(cause: unknown): string | null {
  if (isFinal(cause)) return cause.code === 'IDEMPOTENCY_KEY_REUSED' ? UNKNOWN : cause.message;
  if (cause instanceof Refusal && cause.code !== 'OVERLOADED') return 'The file could not be fetched from Chatwoot.';
  return codeOf(cause) === 'UNKNOWN_OUTCOME' && cause instanceof Error ? cause.message : null;
}

class UnknownOutcome extends Error {
  readonly code = 'UNKNOWN_OUTCOME';
}

const UNKNOWN = 'This may have been sent. Check the phone before you send it again.';

async function sendPart(bridge: Bridge, person: Placed, message: ChatwootMessage, part: number, content: Part): Promise<void> {
  const { state, gateway, chatwoot, settings, clock } = bridge;
  const fresh: Answer = {
    ...{ cw: message.id, part, chat: person.chat, conversation: person.conversation },
    ...{ media: null, message: null, status: null, askedAt: null },
  };
  const known = state.answers(message.id).find((one) => one.part === part) ?? fresh;
  if (known.message !== null) return;
  if (known.askedAt !== null && clock.now() > known.askedAt + KEY_MS) throw new UnknownOutcome(UNKNOWN);
  const media = 'file' in content ? (known.media ?? (await uploaded(bridge, content.file.url))) : null;
  const asked = { ...known, media, askedAt: known.askedAt ?? clock.now() };
  state.saveAnswer(asked, clock.now());
  const reply = part === 0 && message.inReplyTo !== null ? ourIdOf(bridge, message.inReplyTo) : null;
  const body: Schemas['SendMessageRequest'] = {
    chat_id: person.answersTo,
    connect_only: false,
    ...(reply !== null && { reply_to: reply }),
    ...('file' in content
      ? { type: kindOfFile(content.file.type), ...(media && { media_r2_key: media }), ...(content.caption && { caption: content.caption }) }
      : { type: 'text', body: content.text }),
  };
  const idempotencyKey = chatwoot.keyOf(message.id, part);
  const { id } = await gateway.call('sendMessage', { params: { sessionId: settings.session }, body }, { idempotencyKey });
  state.saveAnswer({ ...asked, message: id }, clock.now());
}

function ourIdOf({ state }: Bridge, cw: number): string | null {
  const shown = state.mirrorOf(cw)?.source.slice(OWN.length);
  if (shown !== undefined) return /^[0-9A-Z]{26}$/.test(shown) ? shown : null;
  return state.answers(cw)[0]?.message ?? null;
}

async function uploaded({ files, gateway, settings }: Bridge, url: string): Promise<string> {
  return files.fetch(settings.session, url, async ({ source, filename, contentType }) => {
    const bytes = await Array.fromAsync(source, (chunk) => Uint8Array.from(chunk));
    const form = new FormData();
    form.append('file', new Blob(bytes, contentType === null ? {} : { type: contentType }), filename ?? 'file');
    return (await gateway.call('uploadMedia', { body: form })).key;
  });
}

/** The only change that agents can make to a message in Chatwoot is to delete it. */
export async function changed(bridge: Bridge, { conversation, cw }: WorkOf<'changed'>): Promise<void> {
  if (bridge.state.answers(cw).length === 0) return;
  const near = await bridge.chatwoot.messages(conversation, { before: cw + 1 }).catch((cause: unknown) => {
    if (cause instanceof ChatwootRefusal && cause.status === 404) return [];
    throw cause;
  });
  if (near.some(({ id, isDeleted }) => id === cw && isDeleted)) await erase(bridge, cw);
}

/** Also deletes the messages on the person's phone. */
async function erase({ state, gateway, settings, clock }: Bridge, cw: number): Promise<void> {
  const sent = state.answers(cw);
  const [first] = sent;
  if (!first || state.isDone(`erased:${cw}`)) return;
  state.markDone(`erasing:${cw}`, first.chat, clock.now());
  for (const { message: messageId } of sent) {
    if (messageId === null) continue;
    await gateway.call('deleteMessage', { params: { sessionId: settings.session, messageId } }).catch((cause: unknown) => {
      if (!isFinal(cause)) throw cause;
    });
  }
  state.markDone(`erased:${cw}`, first.chat, clock.now());
}
