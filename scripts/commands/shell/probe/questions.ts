import type { Operations } from '../../../../http/openapi/client/gateway.generated.ts';
import { asError } from '../../../../runtime/errors.ts';
import type { Api } from '../api.ts';

/** Only a real account can answer these questions. Answers contain no texts or ids. */
export interface Probing {
  readonly api: Api;
  readonly sessionId: string;
  readonly people: { readonly A: string; readonly B: string };
  /** The operator's secret; null to skip the questions that need it. */
  readonly admin: string | null;
  /** Id of a message with a file older than three weeks; null if not given. */
  readonly oldFile: string | null;
  readonly patienceMs: number;
  wait(ms: number): Promise<void>;
  now(): number;
  say(line: string): void;
}

export interface Question {
  readonly name: string;
  ask(probing: Probing): Promise<string>;
}

type Message = Operations['getMessage']['answer'];

const LOOK_MS = 2_000;
const NOT_SEEN = 'not seen in time';
const NO_SECRET = 'not asked: set ADMIN_SECRET';
const READER = 'probe';

async function seen<T>({ wait, now, patienceMs }: Probing, look: () => Promise<T | null>): Promise<{ found: T; seconds: number } | null> {
  const from = now();
  for (;;) {
    const found = await look();
    if (found !== null) return { found, seconds: Math.round((now() - from) / 1_000) };
    if (now() - from >= patienceMs) return null;
    await wait(LOOK_MS);
  }
}

const messageOf = ({ api, sessionId }: Probing, messageId: string): Promise<Message> =>
  api.call('getMessage', { params: { sessionId, messageId } });

async function cameFrom(probing: Probing, digits: string, since: number): Promise<Message | null> {
  const params = { sessionId: probing.sessionId, chatId: digits };
  const { messages } = await probing.api.call('listChatMessages', { params, query: { limit: 20 } });
  const found = messages.find(({ direction, created_at }) => direction === 'inbound' && created_at >= since);
  return found ? messageOf(probing, found.id) : null;
}

const text = (name: string, who: 'A' | 'B'): Question => ({
  name,
  async ask(probing) {
    const { api, sessionId, people } = probing;
    const body = { chat_id: people[who], type: 'text', body: 'A test of our messaging gateway. Thank you for helping.' } as const;
    const { id } = await api.call('sendMessage', { params: { sessionId }, body });
    const end = await seen(probing, async () => {
      const now = await messageOf(probing, id);
      return now.status === 'queued' || now.status === 'sent' ? null : now;
    });
    if (!end) return `${(await messageOf(probing, id)).status}, and no receipt in time`;
    const { status, error } = end.found;
    return status === 'failed' ? `failed: ${error}` : `${status} after ${end.seconds} s`;
  },
});

async function network({ api, admin }: Probing): Promise<Operations['getNetwork']['answer'] | null> {
  return admin === null ? null : api.call('getNetwork', {}, { 'x-admin-secret': admin });
}

export function questions(): readonly Question[] {
  let written: Message | null = null;
  const doing = (name: string, order: string, is: (message: Message) => boolean): Question => ({
    name,
    async ask(probing) {
      const target = written;
      if (!target) return 'not asked: A has not written';
      probing.say(order);
      const change = await seen(probing, async () => {
        const now = await messageOf(probing, target.id);
        return is(now) ? now : null;
      });
      return change ? `taken over after ${change.seconds} s` : NOT_SEEN;
    },
  });
  return [
    {
      name: 'build of the client, and when the network will refuse it',
      async ask(probing) {
        const state = await network(probing);
        if (!state) return NO_SECRET;
        const { running, age_days, expires_at, refused } = state.build;
        const ends = expires_at === null ? 'no end announced' : `ends in ${Math.round((expires_at - probing.now()) / 86_400_000)} days`;
        return `${running.map(({ version }) => version).join(', ') || 'none'}, ${age_days} days old, ${ends}, ${refused.length} refused`;
      },
    },
    {
      name: 'numbers: whether they are on the network, and under which address',
      async ask({ api, sessionId, people }) {
        const phones = [people.A, people.B];
        const { results } = await api.call('validateNumbers', { params: { sessionId }, body: { phones } });
        const form = (jid: string | null): string => (jid === null ? 'no address' : jid.endsWith('@lid') ? 'a hidden address' : 'a number');
        return results
          .map(
            ({ exists, jid, phone }, i) =>
              `${i === 0 ? 'A' : 'B'}: ${exists ? form(jid) : 'unknown'}${phone === phones[i] ? '' : ', in another form'}`,
          )
          .join('; ');
      },
    },
    text('text to A, who has written to this device', 'A'),
    text('text to B, who has never written to this device', 'B'),
    {
      name: 'message from A: from which address, and whether with a username',
      async ask(probing) {
        const since = probing.now() - LOOK_MS;
        probing.say('On phone A: write a short text to this device.');
        const came = await seen(probing, () => cameFrom(probing, probing.people.A, since));
        if (!came) return NOT_SEEN;
        written = came.found;
        const { sender, sender_username } = came.found;
        return `after ${came.seconds} s, from ${sender?.endsWith('@lid') ? 'a hidden address' : 'a number'}, ${sender_username ? 'with' : 'without'} a username`;
      },
    },
    doing('encrypted edit by A', 'On phone A: edit that text.', ({ edited_at }) => edited_at !== undefined),
    doing('reaction of A', 'On phone A: react to that text, or to ours, with an emoji.', ({ reactions }) => (reactions ?? []).length > 0),
    {
      name: 'older messages of A: how many arrive at once, and how long the phone takes',
      async ask(probing) {
        const { api, sessionId, people } = probing;
        const pull = (after?: string) =>
          api.call('pullEvents', { query: { events: 'history.loaded', reader: READER, ...(after !== undefined && { after }) } });
        let { next } = await pull();
        await api.call('loadOlderMessages', { params: { sessionId, chatId: people.A }, body: {} });
        const end = await seen(probing, async () => {
          const page = await pull(next ?? undefined);
          next = page.next ?? next;
          return page.events.find(({ session_id }) => session_id === sessionId)?.data ?? null;
        });
        await api.call('endEventReader', { params: { name: READER } }).catch(() => null);
        if (!end) return NOT_SEEN;
        const { count, more, error } = end.found;
        return error === null ? `${count} after ${end.seconds} s, more: ${more}` : `${error} after ${end.seconds} s`;
      },
    },
    {
      name: 'file that the network no longer has: does the phone send it again',
      async ask({ api, sessionId, oldFile }) {
        if (oldFile === null) return 'not asked: give a message with a file older than three weeks (--old-file)';
        const file = await api.text('getMessageMedia', { params: { sessionId, messageId: oldFile } });
        return file.length > 0 ? 'sent again' : 'empty';
      },
    },
    {
      name: 'content and stanzas that were not understood during the run',
      async ask(probing) {
        const state = await network(probing);
        if (!state) return NO_SECRET;
        const named = Object.entries({ ...state.unknown.contents, ...state.unknown.stanzas });
        return named.length === 0 ? 'none' : named.map(([name, count]) => `${name} (${count})`).join(', ');
      },
    },
  ];
}

export interface Answered {
  readonly question: string;
  readonly answer: string;
}

export async function answersTo(all: readonly Question[], probing: Probing, pauseMs: number): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const { name, ask } of all) {
    if (answers.length > 0) await probing.wait(pauseMs);
    const answer = await ask(probing).catch((cause: unknown) => `refused: ${asError(cause).message}`);
    answers.push({ question: name, answer: redacted(answer, probing) });
    probing.say(`${name}: ${answers.at(-1)?.answer ?? ''}`);
  }
  return answers;
}

/** Replaces phone numbers and the device id with names, and other ids with an ellipsis. */
export function redacted(text: string, { people, sessionId }: Pick<Probing, 'people' | 'sessionId'>): string {
  const named = text.replaceAll(people.A, 'A').replaceAll(people.B, 'B').replaceAll(sessionId, 'device');
  return named.replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '…').replaceAll(/(?<![\d.])\d{8,}/g, '…');
}
