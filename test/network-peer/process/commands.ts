import type { Fault } from '../faults.ts';
import type { EventEntry, EventName } from '../journal.ts';
import type { Peer } from '../peer.ts';
import type { Habits } from '../people/correspondent.ts';
import type { Person } from '../people/person.ts';
import type { EndCode } from '../server/endings.ts';

/** A message as a phone shows it, in what JSON can carry. */
export interface ShownLine {
  readonly id: string;
  readonly from: string;
  readonly chat: string;
  readonly text: string;
  readonly isDeleted: boolean;
  readonly reactions: Readonly<Record<string, string>>;
  /** How often it arrived and could be read; a phone shows it once. */
  readonly arrivals: number;
}

export interface LedgerFacts {
  readonly violations: readonly string[];
  /** How many different keys and IVs were seen. */
  readonly seals: number;
  /** Ids that were sent more than once, and how often. */
  readonly repeated: Readonly<Record<string, number>>;
  readonly sent: number;
}

/** What can be asked of a peer in another process: what goes in and what comes out. */
export interface Commands {
  about(): { readonly url: string; readonly rootKey: string; readonly certificate: string };
  scan(phone: string, qr: string): Promise<string>;
  type(phone: string, code: string): Promise<string>;
  write(phone: string, to: string, text: string, id?: string): Promise<string>;
  is(phone: string, habits: Partial<Habits>): Promise<void>;
  shows(phone: string): readonly ShownLine[];
  told(phone: string, id: string): readonly string[];
  /** Ids of messages that lie on the server for the computers of this phone, each as often as there are computers that lack it. */
  waiting(phone: string): readonly string[];
  unlink(phone: string): void;
  group(members: readonly string[], addressing: 'pn' | 'lid'): string;
  /** Answers a number by which `lift` ends it. */
  fault(fault: Fault): number;
  lift(fault: number): void;
  cut(phone?: string): void;
  end(phone: string, code: EndCode): void;
  ban(phone: string): void;
  restart(downMs?: number): Promise<void>;
  events(name: EventName): readonly EventEntry[];
  ledger(): LedgerFacts;
  /** What the peer itself has cost so far: ms of processor time, bytes of memory. */
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

/** What the phone itself tells its computers is no message that anybody wrote. */
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
