import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';
import { GatewayError } from '../../client/client.ts';
import { ChatwootRefusal, type NewMessage } from './api.ts';
import { hasFile, isLater, labelFor, statusOfParts, textFor } from './content.ts';
import { type Bridge, OWN, type WorkOf } from './context.ts';
import { isPlaced, type Placed, place } from './people.ts';
import { TryAgain } from './refused.ts';
import type { Mirror } from './state.ts';

/**
 * From the gateway to Chatwoot: messages and their statuses. Invariant: Chatwoot stores each
 * message once, although it creates a new message for every request. The bridge records a request
 * before sending it. If the outcome is unknown, the bridge waits until Chatwoot must have finished,
 * searches for the message by its `source_id`, and resends the request only if the message is
 * missing.
 */

type Message = Schemas['Message'];

const FLOOD_MS = 60_000;

/** Groups, channels and statuses are not transferred. */
export const isPersonal = (chat: string): boolean => /@(s\.whatsapp\.net|lid)$/.test(chat);

async function messageAt({ gateway, settings }: Bridge, messageId: string): Promise<Message | null> {
  return gateway.call('getMessage', { params: { sessionId: settings.session, messageId } }).catch((cause: unknown) => {
    if (cause instanceof GatewayError && cause.status === 404) return null;
    throw cause;
  });
}

export async function received(bridge: Bridge, { message: id }: WorkOf<'received'>): Promise<void> {
  const message = await messageAt(bridge, id);
  if (!message || message.message_type === 'reaction' || !isPersonal(message.chat_id)) return;
  const phone = message.chat_id.endsWith('@s.whatsapp.net') ? message.chat_id.replace(/@.*/, '') : null;
  const name = message.sender_name || message.sender_username || (phone === null ? 'Unknown' : `+${phone}`);
  await show(bridge, await place(bridge, message.chat_id, { name, phone }), message, 'incoming');
}

export async function sent(bridge: Bridge, { message: id }: WorkOf<'sent'>): Promise<void> {
  if (bridge.state.answerAs(id)) return status(bridge, { kind: 'status', message: id, status: 'sent' });
  const message = await messageAt(bridge, id);
  if (!message || message.message_type === 'reaction' || !isPersonal(message.chat_id)) return;
  // The bridge uses an API key too, so this may be an agent's reply whose response was lost.
  if (message.sent_by?.kind === 'api_key') return;
  const known = bridge.state.person(message.chat_id);
  if (!known && !message.from_phone) return;
  const phone = message.chat_id.endsWith('@s.whatsapp.net') ? message.chat_id.replace(/@.*/, '') : null;
  await show(bridge, await place(bridge, message.chat_id, { name: phone === null ? 'Unknown' : `+${phone}`, phone }), message, 'outgoing');
}

async function show(bridge: Bridge, person: Placed, message: Message, type: NewMessage['type']): Promise<void> {
  const plain = {
    type,
    isPrivate: false,
    source: `${OWN}${message.id}`,
    inReplyTo: targetOf(bridge, message.reply_to),
    createdAt: message.created_at,
  };
  const content = textFor(message);
  const bytes = hasFile(message) && !isPosted(bridge, plain.source) ? await bridge.gateway.file(message.id) : null;
  const name = message.media?.filename ?? `${message.message_type}.${extensionOf(message.media?.content_type)}`;
  const missing = `${content}\n_A file (${name}) is not shown here. Read it on the phone._`.trim();
  if (!bytes) return post(bridge, person, { ...plain, content: hasFile(message) ? missing : content, file: null });
  try {
    await post(bridge, person, { ...plain, content, file: { bytes, name } });
  } catch (cause) {
    if (!(cause instanceof ChatwootRefusal) || (cause.status !== 422 && cause.status !== 413) || cause.isFlood) throw cause;
    await post(bridge, person, { ...plain, content: missing, file: null });
  }
}

const isPosted = ({ state }: Bridge, source: string): boolean => typeof state.mirror(source)?.cw === 'number';

const extensionOf = (type = ''): string => /^[^/]+\/([a-z0-9]{2,5})\b/.exec(type)?.[1] ?? 'bin';

function targetOf({ state }: Bridge, message: string | null | undefined): number | null {
  if (!message) return null;
  return state.mirror(`${OWN}${message}`)?.cw ?? state.answerAs(message)?.cw ?? null;
}

async function post(bridge: Bridge, person: Placed, message: NewMessage): Promise<void> {
  const { chatwoot, state, clock } = bridge;
  const asked = state.mirror(message.source);
  if (asked?.cw) return;
  if (asked && (await wasStored(bridge, asked))) return;
  state.ask(message.source, person.chat, person.conversation, clock.now());
  try {
    state.mirrored(message.source, await chatwoot.createMessage(person.conversation, message));
  } catch (cause) {
    if (!(cause instanceof ChatwootRefusal)) throw cause;
    state.unask(message.source);
    if (cause.isFlood) throw new TryAgain(clock.now() + FLOOD_MS, 'Chatwoot accepts no more messages in this conversation for a minute');
    if (cause.status !== 404) throw cause;
    // An agent has deleted the conversation, so a new one is opened.
    state.save({ ...person, conversation: null, reached: 0 });
    throw new TryAgain(clock.now(), 'the conversation no longer exists');
  }
}

async function wasStored({ chatwoot, state, settings, clock }: Bridge, { source, conversation, above, at }: Mirror): Promise<boolean> {
  const settled = at + settings.settleMs;
  if (clock.now() < settled) throw new TryAgain(settled, 'Chatwoot did not respond to a request to store a message');
  for (let after = above; ; ) {
    const page = await chatwoot.messages(conversation, { after }).catch((cause: unknown) => {
      if (cause instanceof ChatwootRefusal && cause.status === 404) return [];
      throw cause;
    });
    const found = page.find((message) => message.source === source);
    if (found) state.mirrored(source, found.id);
    const last = page.at(-1);
    if (found || !last || last.id <= after) return found !== undefined;
    after = last.id;
  }
}

export async function status(bridge: Bridge, { message, status: next }: WorkOf<'status'>): Promise<void> {
  const { state, clock } = bridge;
  const answer = state.answerAs(message);
  if (!answer) {
    const shown = state.mirror(`${OWN}${message}`);
    return shown?.cw ? report(bridge, shown.conversation, shown.cw, next, message) : undefined;
  }
  if (!isLater(answer.status, next)) return;
  const { cw, conversation } = answer;
  const whole = statusOfParts(state.answers(cw).map(({ part, status: known }) => (part === answer.part ? next : known)));
  if (whole !== null) await report(bridge, conversation, cw, whole, message);
  // Saved last, so that a failed or interrupted report is repeated.
  state.saveAnswer({ ...answer, status: next }, clock.now());
}

async function report(bridge: Bridge, conversation: number, cw: number, next: string, messageId: string): Promise<void> {
  const failed = next === 'failed' ? await messageAt(bridge, messageId) : null;
  const reason = failed ? (failed.reason ?? failed.error) : null;
  await ignoringGone(bridge.chatwoot.setStatus(conversation, cw, next, reason ?? null));
}

export async function ignoringGone(work: Promise<void>): Promise<void> {
  await work.catch((cause: unknown) => {
    if (!(cause instanceof ChatwootRefusal) || ![403, 404, 422].includes(cause.status) || cause.isFlood) throw cause;
  });
}

async function note(bridge: Bridge, message: string, source: string, content: string): Promise<void> {
  const inReplyTo = targetOf(bridge, message);
  const conversation = bridge.state.mirror(`${OWN}${message}`)?.conversation ?? bridge.state.answerAs(message)?.conversation;
  const person = conversation === undefined ? null : bridge.state.personIn(conversation);
  if (inReplyTo === null || !person || !isPlaced(person)) return;
  await post(bridge, person, {
    content,
    type: 'outgoing',
    isPrivate: true,
    source: `${OWN}${source}`,
    inReplyTo,
    createdAt: null,
    file: null,
  });
}

export async function edited(bridge: Bridge, { message: id, event }: WorkOf<'edited'>): Promise<void> {
  const message = await messageAt(bridge, id);
  if (message) await note(bridge, id, event, `✏️ The message now reads:\n${textFor(message)}`);
}

export async function deleted(bridge: Bridge, { message }: WorkOf<'deleted'>): Promise<void> {
  const answer = bridge.state.answerAs(message);
  if (answer && bridge.state.isDone(`erasing:${answer.cw}`)) return;
  await note(bridge, message, `${message}:deleted`, '🗑️ This message was deleted on the phone.');
}

export async function reaction(bridge: Bridge, { message: id, target }: WorkOf<'reaction'>): Promise<void> {
  const message = await messageAt(bridge, id);
  if (!message || message.direction === 'outbound') return;
  await note(bridge, target, id, message.body ? `Reacted with ${message.body}` : 'Removed the reaction');
}

/** Adds or removes one label, and keeps all other labels, which agents may have set. */
export async function label(bridge: Bridge, { chat, label: id, isOn }: WorkOf<'label'>): Promise<void> {
  const { chatwoot, gateway, settings, state } = bridge;
  const person = state.person(chat);
  if (!person || !isPlaced(person)) return;
  const { labels } = await gateway.call('listChatLabels', { params: { sessionId: settings.session } });
  const name = labelFor(labels.find((one) => one.id === id)?.name ?? '');
  if (name === '') return;
  const { conversation } = person;
  await ignoringGone(
    chatwoot.conversation(conversation).then(async ({ labels: known }) => {
      if (known.includes(name) === isOn) return;
      await chatwoot.setLabels(conversation, isOn ? [...known, name] : known.filter((one) => one !== name));
    }),
  );
}
