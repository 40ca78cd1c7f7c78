/**
 * Outgoing messages of the person who is signed in to this tab. The list is kept in session storage
 * and the files in IndexedDB, so that both survive a reload. Messages are sent only under the
 * sign-in that created the outbox.
 */

import { effect, signal } from '@preact/signals';
import { call, newKey } from '../api/client.ts';
import { ApiError } from '../api/request.ts';
import { createOutbox, mayBeStored, type Outbox, type Outgoing } from '../outbox/outbox.ts';
import { keep, kept, typedName } from './kept.ts';
import { dropFile, dropOldFiles, keepFile, keptFile } from './kept-files.ts';
import { language } from './preferences.ts';
import { person, signInNow } from './session.ts';

export const outgoing = signal<readonly Outgoing[]>([]);

/** Messages whose files are lost when this tab is closed. */
export const notKept = signal<ReadonlySet<string>>(new Set());

export type NewMessage = Pick<Outgoing, 'session_id' | 'chat_id' | 'text' | 'reply_to'> & {
  readonly file?: File | null;
  readonly voiceNote?: boolean;
};

type Listener = (one: Outgoing, stored: { readonly id: string; readonly status: string }) => void;

const listeners = new Set<Listener>();
/** Holds the only copy of a file if the browser cannot store files. */
const files = new Map<string, File>();
let outbox: Outbox | null = null;

export function onAccepted(receive: Listener): () => void {
  listeners.add(receive);
  return () => listeners.delete(receive);
}

export const isSending = (sessionId: string, chatId: string): boolean =>
  outgoing.peek().some((one) => mayBeStored(one) && one.session_id === sessionId && one.chat_id === chatId);

/** Audio cannot have a caption, so its text follows as a second message. */
export function send(message: NewMessage): void {
  const { file = null, text } = message;
  if (!file || kindOf(file.type) !== 'audio' || text.trim() === '') return add(message);
  add({ ...message, text: '' });
  add({ ...message, reply_to: null, file: null, voiceNote: false });
}

function add({ session_id, chat_id, text, reply_to, file = null, voiceNote = false }: NewMessage): void {
  const key = newKey();
  if (file) holdFile(key, file);
  outbox?.add({
    ...{ key, session_id, chat_id, text, reply_to },
    type: file ? kindOf(file.type) : 'text',
    media_key: null,
    filename: file?.name ?? null,
    voice_note: voiceNote,
  });
}

export const sendAgain = (key: string): void => outbox?.retry(key);

export function discard(key: string): void {
  releaseFile(key);
  outbox?.discard(key);
}

const isOnItsWay = (key: string): boolean => outgoing.peek().some((one) => one.key === key);

function holdFile(key: string, file: File): void {
  files.set(key, file);
  const who = person.peek();
  if (who)
    void keepFile(who.agent_id, key, file).then((isKept) => {
      if (!isKept && isOnItsWay(key)) notKept.value = new Set([...notKept.peek(), key]);
      // The file was stored only after its message had been sent, so it is no longer needed.
      if (isKept && !isOnItsWay(key)) void dropFile(who.agent_id, key);
    });
}

function releaseFile(key: string): void {
  files.delete(key);
  notKept.value = new Set([...notKept.peek()].filter((one) => one !== key));
  const who = person.peek();
  if (who) void dropFile(who.agent_id, key);
}

/** Reports sent messages to duplicated tabs, which have the same messages under the same keys. */
const twins = typeof BroadcastChannel === 'function' ? new BroadcastChannel('console-sent') : null;
if (twins) twins.onmessage = ({ data }: MessageEvent<unknown>) => typeof data === 'string' && isOnItsWay(data) && discard(data);

export const flushOutbox = async (): Promise<void> => outbox?.flush();

function kindOf(type: string): Outgoing['type'] {
  const [kind] = type.split('/');
  if (kind === 'image' && !type.includes('svg')) return 'image';
  return kind === 'video' || kind === 'audio' ? kind : 'document';
}

/** Session storage is not shared between tabs, so other tabs do not send the same messages. */
const ofTab = (): Storage => sessionStorage;

export function keepOutbox(): void {
  effect(() => {
    const who = person.value;
    outbox?.stop();
    outbox = null;
    outgoing.value = [];
    files.clear();
    notKept.value = new Set();
    if (!who) return;
    const name = typedName('outbox', who.agent_id);
    void dropOldFiles();
    const before = keptList(kept(name, ofTab));
    outgoing.value = before;
    const signIn = signInNow();
    outbox = createOutbox(
      {
        send: (one) => transmit(one, signIn),
        accepted(one, stored) {
          twins?.postMessage(one.key);
          if (one.filename !== null) releaseFile(one.key);
          for (const receive of [...listeners]) receive(one, stored);
        },
        changed(all) {
          outgoing.value = all;
          keep(name, all.length > 0 ? JSON.stringify(all) : null, ofTab);
        },
        after(ms, run) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        now: () => Date.now(),
      },
      before,
    );
  });
  addEventListener('online', () => void flushOutbox());
}

function keptList(text: string | null): readonly Outgoing[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

async function transmit(one: Outgoing, signIn: number): Promise<{ id: string; status: string }> {
  const { session_id: sessionId, chat_id, type, text, reply_to, key } = one;
  const media = one.media_key ?? (await uploaded(one, signIn));
  const content =
    media === null
      ? { body: text }
      : { media_r2_key: media, ...(text !== '' && { caption: text }), ...(one.voice_note && { voice_note: true }) };
  const quote = reply_to === null ? {} : { reply_to };
  return call(
    'sendMessage',
    { params: { sessionId }, body: { chat_id, type, ...content, ...quote, connect_only: false } },
    { key, signIn },
  );
}

async function uploaded({ key, filename }: Outgoing, signIn: number): Promise<string | null> {
  if (filename === null) return null;
  const file = files.get(key) ?? (await keptFile(person.peek()?.agent_id ?? '', key));
  if (!file) throw new ApiError(FILE_LOST[language.value], { status: 400, code: 'FILE_LOST' });
  const form = new FormData();
  form.append('file', file, filename);
  const stored = await call('uploadMedia', { body: form }, { key: `${key}-file`, signIn });
  outbox?.stored(key, stored.key);
  return stored.key;
}

const FILE_LOST = {
  en: 'This browser no longer has the file. Another tab may have sent it: check the chat before you choose it again.',
  id: 'Peramban ini tidak lagi memiliki berkasnya. Mungkin sudah dikirim dari tab lain: periksa percakapannya sebelum memilihnya lagi.',
};
