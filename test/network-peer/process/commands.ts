import type { Fault } from '../faults.ts';
import type { EventEntry, EventName } from '../journal.ts';
import type { Peer } from '../peer.ts';
import type { Habits } from '../people/correspondent.ts';
import type { Person } from '../people/person.ts';
import type { EndCode } from '../server/endings.ts';

/** A message as a phone shows it, in a JSON-compatible form. */
export interface ShownLine {
  readonly id: string;
  readonly from: string;
  readonly chat: string;
  readonly text: string;
  readonly isDeleted: boolean;
  readonly reactions: Readonly<Record<string, string>>;
  /** Number of times it arrived and was decrypted. A phone shows it only once. */
  readonly arrivals: number;
}

export interface LedgerFacts {
  readonly violations: readonly string[];
  /** Number of distinct keys and IVs seen. */
  readonly seals: number;
  /** Ids that were sent more than once, with their counts. */
  readonly repeated: Readonly<Record<string, number>>;
  readonly sent: number;
}

/** Commands for a peer in another process, with their arguments and results. */
export interface Commands {
  about(): { readonly url: string; readonly rootKey: string; readonly certificate: string };
  scan(phone: string, qr: string): Promise<string>;
  type(phone: string, code: string): Promise<string>;
  write(phone: string, to: string, text: string, id?: string): Promise<string>;
  is(phone: string, habits: Partial<Habits>): Promise<void>;
  shows(phone: string): readonly ShownLine[];
  told(phone: string, id: string): readonly string[];
  /**
   * Returns ids of messages on the server that are pending for this phone's computers, once per computer that lacks
   * the message.
   */
  waiting(phone: string): readonly string[];
  unlink(phone: string): void;
  group(members: readonly string[], addressing: 'pn' | 'lid'): string;
  /** Returns a number with which `lift` ends the fault. */
  fault(fault: Fault): number;
  lift(fault: number): void;
  cut(phone?: string): void;
  end(phone: string, code: EndCode): void;
  ban(phone: string): void;
  restart(downMs?: number): Promise<void>;
  events(name: EventName): readonly EventEntry[];
  ledger(): LedgerFacts;
  /** Returns the peer's own cost so far: CPU time in ms and memory in bytes. */
  cost(): { readonly cpuMs: number; readonly rss: number };
}

export function commandsOf(peer: Peer): Commands {
  const lifts: (() => void)[] = [];
  return {
    about: () => ({ url: peer.url, rootKey: peer.rootKey, certificate: peer.media.certificate }),
    scan: (phone, qr) => peer.phone(phone).scans(qr),
    type: (phone, code) => peer.phone(phone).types(code),
    write: (phone, to, text, id) => peer.phone(phone).writes(to, text, id === undefined ? {} : { id }),
    is: (phone, habits) => peer.phone(phone).is(habits),
    shows: (phone) => linesOf(peer.phone(phone)),
    told: (phone, id) => peer.phone(phone).told(id),
    waiting: (phone) =>
      peer.phone(phone).linked.flatMap(({ mailbox }) => mailbox.waiting.filter(isMessage).map(({ attrs }) => attrs['id'] ?? '')),
    unlink: (phone) => peer.phone(phone).unlinks(),
    group: (members, addressing) => peer.group(members, { addressing }).jid,
    fault: (fault) => lifts.push(peer.fault(fault)) - 1,
    lift: (fault) => lifts[fault]?.(),
    cut: (phone) => peer.cut(phone),
    end: (phone, code) => peer.ends(phone, code),
    ban: (phone) => peer.bans(phone),
    restart: (downMs) => peer.restart(downMs),
    events: (name) => peer.journal.events(name),
    ledger: () => ledgerOf(peer),
    cost,
  };
}

function linesOf(phone: Person): readonly ShownLine[] {
  return phone.shows().map(({ netId: id, from, chat, text, isDeleted, reactions }) => {
    return { id, from, chat, text, isDeleted, reactions: Object.fromEntries(reactions), arrivals: phone.arrivals(id) };
  });
}

/** Whether a stanza is a message that someone wrote, as opposed to a message from a phone to its own computers. */
const isMessage = ({ tag, attrs }: { tag: string; attrs: Readonly<Record<string, string>> }): boolean =>
  tag === 'message' && attrs['category'] !== 'peer';

function ledgerOf({ ledger: { violations, seals, sentIds } }: Peer): LedgerFacts {
  const repeated = Object.fromEntries([...sentIds].filter(([, times]) => times > 1));
  return { violations, seals, repeated, sent: sentIds.size };
}

function cost(): ReturnType<Commands['cost']> {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, rss: process.memoryUsage().rss };
}
