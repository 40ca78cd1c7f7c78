import { type HistoryQuestions, type HistoryWanted, MOST_OLDER, type OlderRequest, wantedSince } from '../history.ts';
import type { HistoryMessage } from '../port.ts';
import { numberAt, ownWhereabouts, whereabouts } from './addresses.ts';
import type { SandboxAnswers } from './answers.ts';
import type { LinkedDevice } from './devices.ts';
import type { Inboxes } from './inboxes.ts';
import type { MarkedChats } from './marked-chats.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export interface RememberedMessage {
  readonly chat: string;
  readonly from_me: boolean;
  readonly body: string;
  readonly at: number;
}

interface Kept extends Omit<RememberedMessage, 'chat'> {
  readonly netId: string;
}

const MAX_KEPT = 100_000;
const STEP_MS = 60_000;
const PART = 100;

/** The phones' history: messages set by tests, plus `olderHistory` generated ones for each chat. */
export class PhoneHistory {
  readonly #deps: SandboxDeps;
  readonly #inboxes: Inboxes;
  readonly #marked: MarkedChats;
  readonly #accounts = new Map<string, Map<string, Kept[]>>();
  readonly #anchors = new Map<string, number>();

  constructor(deps: SandboxDeps, inboxes: Inboxes, marked: MarkedChats) {
    this.#deps = deps;
    this.#inboxes = inboxes;
    this.#marked = marked;
  }

  remembers(own: string, messages: readonly RememberedMessage[]): void {
    const chats = this.#accounts.get(own) ?? new Map<string, Kept[]>();
    this.#accounts.set(own, chats);
    for (const { chat, ...said } of messages) {
      const at = this.#marked.chatOf(own, chat);
      const kept = [...(chats.get(at) ?? []), { ...said, netId: this.#deps.names.message() }];
      chats.set(at, kept.toSorted((one, other) => one.at - other.at).slice(-MAX_KEPT));
    }
  }

  answers(): SandboxAnswers<HistoryQuestions> {
    return {
      'history.older': (device, asked) => {
        const { journal, phones } = this.#deps;
        journal.note({ what: 'history-asked', phone: device.phone, netId: asked.request, to: asked.chat, reason: `${asked.count}` });
        const phone = phones.named(device.phone);
        const chat = this.#marked.chatOf(device.phone, asked.chat);
        if (phone.online) this.#answer(device, chat, asked);
        else phone.waiting.push(() => this.#answer(device, chat, asked));
        return null;
      },
    };
  }

  linked(device: LinkedDevice, wanted: HistoryWanted): void {
    const since = wantedSince(wanted, this.#deps.clock.now());
    if (wanted.most === 0) return;
    for (const [chat, kept] of this.#accounts.get(device.phone) ?? []) {
      const newest = kept.filter(({ at }) => at >= since).slice(-wanted.most);
      for (let from = 0; from < newest.length; from += PART) this.#tell(device, chat, newest.slice(from, from + PART));
    }
  }

  #answer(device: LinkedDevice, chat: string, { request, before, count }: OlderRequest): void {
    const most = Math.min(count, MOST_OLDER);
    const kept = (this.#accounts.get(device.phone)?.get(chat) ?? []).filter(({ at }) => at < before.at);
    const older = [...kept.slice(-most - 1), ...this.#madeUp(device.phone, chat, before.at, most + 1)].toSorted(
      (one, other) => one.at - other.at,
    );
    this.#tell(device, chat, older.slice(-most), { request, more: older.length > most });
  }

  #madeUp(own: string, chat: string, before: number, count: number): readonly Kept[] {
    const key = `${own} ${chat}`;
    const anchor = this.#anchors.get(key) ?? before;
    this.#anchors.set(key, anchor);
    const first = Math.max(1, Math.floor((anchor - before) / STEP_MS) + 1);
    const last = Math.min(this.#deps.chatForms.of(own).olderHistory, first + count - 1);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
      const nth = first + i;
      return { from_me: nth % 2 === 0, body: `older ${nth}`, at: anchor - nth * STEP_MS, netId: `OLD${numberAt(chat) ?? chat} ${nth}` };
    });
  }

  #tell(device: LinkedDevice, chat: string, kept: readonly Kept[], older?: { readonly request: string; readonly more: boolean }): void {
    const messages = kept.map((one) => this.#messageOf(device.phone, chat, one));
    this.#inboxes.put(device, { type: 'history', token: this.#deps.names.message(), messages, ...(older && { older }) });
  }

  #messageOf(own: string, chat: string, { netId, from_me: isOurs, body, at }: Kept): HistoryMessage {
    const { phones, groups } = this.#deps;
    const writer = numberAt(chat) ?? groups.othersIn(chat, own)?.[0] ?? own;
    const phone = phones.named(writer);
    const where = isOurs ? ownWhereabouts({ from: own, to: chat }) : whereabouts(phone, chat.endsWith('@g.us') ? chat : own);
    return { netId, ...where, fromName: isOurs ? null : phone.name, content: { type: 'text', body }, quotes: null, isOurs, at };
  }
}
