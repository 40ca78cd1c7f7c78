import { type ChatMark, type ChatMarkName, type ChatMarkQuestions, type MarkedChat, MUTED_FOR_EVER } from '../chat-marks.ts';
import { isLid, userJid } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { ChatCleared, MessageChange } from '../phone-changes.ts';
import { lidOf, numberAt, whereabouts } from './addresses.ts';
import type { SandboxAnswers } from './answers.ts';
import type { LinkedDevice } from './devices.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export interface ShownMarks {
  readonly archived: readonly string[];
  readonly pinned: readonly string[];
  readonly unread: readonly string[];
  readonly muted: Readonly<Record<string, number>>;
}

/** `on: false` removes the mark. A mute without `until` lasts forever. */
export interface MarkAct {
  readonly act: (typeof MARK_ACTS)[number];
  readonly message_id?: string;
  readonly chat: string;
  readonly on?: boolean;
  readonly until?: number;
}

export const MESSAGE_ACTS = ['star', 'delete_for_me'] as const;
export const MARK_ACTS = ['archive', 'pin', 'mute', 'mark_read', 'mark_unread', 'clear', ...MESSAGE_ACTS] as const;

export const isMarkAct = (order: { readonly act: string }): order is MarkAct => MARK_ACTS.some((act) => act === order.act);

type Undated = Pick<MessageChange, 'kind' | 'netId' | 'from'> | Pick<ChatCleared, 'kind' | 'until'>;
type Marks = { readonly [Name in ChatMarkName]?: ChatMark };

export class MarkedChats {
  readonly #deps: SandboxDeps;
  readonly #inboxes: Inboxes;
  readonly #accounts = new Map<string, Map<string, Marks>>();

  constructor(deps: SandboxDeps, inboxes: Inboxes) {
    this.#deps = deps;
    this.#inboxes = inboxes;
  }

  act(own: string, { act, chat, message_id: netId = '', on = true, until = MUTED_FOR_EVER }: MarkAct): void {
    const to = this.chatOf(own, chat);
    switch (act) {
      case 'star':
        return this.#ofMessage(own, to, netId, on ? 'starred' : 'unstarred');
      case 'delete_for_me':
        return this.#ofMessage(own, to, netId, 'removed');
      case 'clear':
        this.shows(own, to, false);
        return this.#changed(own, to, { kind: 'cleared', until: this.#deps.clock.now() });
      case 'archive':
        if (on) this.#now(own, to, 'pinned', false);
        return this.#now(own, to, 'archived', on);
      case 'pin':
        return this.#now(own, to, 'pinned', on);
      case 'mute':
        return this.#now(own, to, 'muted_until', on ? until : null);
      default:
        return this.#now(own, to, 'unread', (act === 'mark_unread') === on);
    }
  }

  answers(): SandboxAnswers<ChatMarkQuestions> {
    return {
      'chats.mark': ({ phone }, { id, marks }) => {
        if (this.#deps.chatForms.of(phone).refusesChanges) throw networkRefusal(409, REFUSED);
        const chat = this.chatOf(phone, id);
        for (const mark of marks) this.#set(phone, chat, mark);
        return marks.map((mark) => this.#of(phone).get(chat)?.[mark.name] ?? mark);
      },
    };
  }

  /** Sets the unread mark that phones set by themselves. Devices are not notified of it. */
  shows(own: string, to: string, unread: boolean): void {
    const chat = addressOf(to);
    if (chat === null || this.#deps.devices.of(own).length === 0) return;
    const of = this.#of(own);
    const before = of.get(chat);
    if (unread || before) of.set(chat, { ...before, unread: { name: 'unread', value: unread, at: before?.unread?.at ?? 0 } });
  }

  shown(own: string): ShownMarks {
    const all = [...this.#of(own)].map(([chat, marks]) => ({ chat: numberAt(chat) ?? chat, marks }));
    const marked = (name: ChatMarkName): string[] => all.filter(({ marks }) => marks[name]?.value === true).map(({ chat }) => chat);
    const now = this.#deps.clock.now();
    const muted = all.flatMap(({ chat, marks: { muted_until: mark } }) =>
      typeof mark?.value === 'number' && mark.value > now ? [[chat, mark.value] as const] : [],
    );
    return { archived: marked('archived'), pinned: marked('pinned'), unread: marked('unread'), muted: Object.fromEntries(muted) };
  }

  #of(own: string): Map<string, Marks> {
    const of = this.#accounts.get(own) ?? new Map<string, Marks>();
    this.#accounts.set(own, of);
    return of;
  }

  /** If the phone has not received the message, it was written by the owner. */
  #ofMessage(own: string, to: string, netId: string, kind: MessageChange['kind']): void {
    const received = this.#deps.phones.named(own).message(netId);
    const from = received && received.from !== own ? whereabouts(this.#deps.phones.named(received.from), to).from : null;
    this.#changed(own, to, { kind, netId, from });
  }

  #changed(own: string, to: string, change: Undated): void {
    const { clock, names, devices } = this.#deps;
    const changes = [{ ...this.#seen(to), ...change, at: clock.now() }];
    for (const device of devices.of(own)) this.#inboxes.put(device, { type: 'phoneChanges', token: names.message(), changes });
  }

  tellNames(devices: readonly LinkedDevice[], phones: readonly Phone[]): void {
    const { clock, names } = this.#deps;
    const saved = phones.map(
      ({ digits, savedAs: name }) => ({ kind: 'saved', ...this.#seen(userJid(digits)), name, at: clock.now() }) as const,
    );
    for (const device of saved.length > 0 ? devices : [])
      this.#inboxes.put(device, { type: 'phoneChanges', token: names.message(), changes: saved });
  }

  /** Sets the mark to the current time, or just after the stored time if the clock has not advanced. */
  #now(own: string, chat: string, name: ChatMarkName, value: ChatMark['value']): void {
    const before = this.#of(own).get(chat)?.[name];
    this.#set(own, chat, { name, value, at: Math.max(this.#deps.clock.now(), (before?.at ?? 0) + 1) });
  }

  #set(own: string, chat: string, mark: ChatMark): void {
    const before = this.#of(own).get(chat);
    if ((before?.[mark.name]?.at ?? -1) >= mark.at) return;
    this.#of(own).set(chat, { ...before, [mark.name]: mark });
    const { names, devices } = this.#deps;
    for (const device of devices.of(own))
      this.#inboxes.put(device, { type: 'chatMarks', token: names.message(), marks: [{ ...this.#seen(chat), ...mark }] });
  }

  #seen(chat: string): Pick<MarkedChat, 'chat' | 'chatAlt'> {
    const digits = numberAt(chat);
    const phone = digits === null ? null : this.#deps.phones.named(digits);
    if (digits === null || !phone?.lid) return { chat };
    return phone.tellsNumber ? { chat, chatAlt: lidOf(digits) } : { chat: lidOf(digits) };
  }

  chatOf(own: string, to: string): string {
    if (to.endsWith('@g.us')) return this.#deps.groups.seenBy(own, to).id;
    const digits = numberAt(to.includes('@') ? to : userJid(to));
    if (digits === null || !this.#deps.phones.isOnNetwork(digits)) throw networkRefusal(404);
    return userJid(this.#deps.phones.registered(digits));
  }
}

function addressOf(to: string): string | null {
  if (to.endsWith('@g.us')) return to;
  const digits = numberAt(to);
  return digits === null ? null : isLid(to) ? userJid(digits) : to;
}

const REFUSED = { en: 'the phone did not accept the change', id: 'ponsel tidak menerima perubahan itu' };
