import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at, entry } from '../../../runtime/invariant.ts';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import type { Person } from '../../../test/network-peer/people/person.ts';
import { el, type Stanza } from '../../../test/network-peer/stanza.ts';
import { DriverProcess, type Said } from './driver-process.ts';

export interface TroubleFigures {
  readonly texts: number;
  readonly lost: number;
  readonly doubled: number;
  readonly closings: number;
  readonly unanswered: number;
  readonly refused: number;
  /** Time in ms until the ack, for recipients that have no faults in either run. */
  readonly othersP50Ms: number;
  readonly othersP99Ms: number;
}

interface Setup {
  readonly isCalm: boolean;
  readonly directory: string;
}

export interface TroubleSide {
  send(texts: number, everyMs: number): Promise<void>;
  /** Resolves when silent recipients are online again. */
  figures(): Promise<TroubleFigures>;
  close(): Promise<void>;
}

const SHOP = '6281100000001';
const PEOPLE = 50;
const WINDOW = 32;

interface Recipient {
  readonly person: Person;
  /**
   * Whether this recipient has no faults in any run. Only the acks of such recipients are compared.
   */
  readonly isOther: boolean;
  readonly worsen: () => Promise<void>;
}

export async function runTrouble({ texts, ...setup }: Setup & { readonly texts: number }): Promise<TroubleFigures> {
  const side = await openTrouble(setup);
  try {
    await side.send(texts, 0);
    return await side.figures();
  } finally {
    await side.close();
  }
}

export async function openTrouble({ isCalm, directory }: Setup): Promise<TroubleSide> {
  const peer = await startPeer({ keep: 10_000 });
  const ours = new DriverProcess(peer, mkdtempSync(join(directory, 'run-')));
  const close = async (): Promise<void> => {
    ours.end();
    await peer.stop();
  };
  try {
    await ours.links((qr) => peer.phone(SHOP).scans(qr));
    const people = Array.from({ length: PEOPLE }, (_, nth) => recipient(peer, nth, isCalm));
    const words = new Map<string, Word>();
    return {
      send: (texts, everyMs) => send(ours, people, words, texts, everyMs),
      async figures() {
        await Promise.all(people.map(({ person }) => person.is({ isOnline: true })));
        return figures(await ours.closings(), words);
      },
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

interface Word extends Said {
  readonly to: Recipient;
}

async function send(
  ours: DriverProcess,
  people: readonly Recipient[],
  words: Map<string, Word>,
  texts: number,
  everyMs: number,
): Promise<void> {
  const [first, began] = [words.size, systemClock.monotonic()];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let nth = next; nth < texts; nth = next) {
      next += 1;
      const early = began + nth * everyMs - systemClock.monotonic();
      if (early > 0) await pause(systemClock, early);
      const to = at(people, (first + nth) % people.length);
      await to.worsen();
      words.set(`t${first + nth}`, { to, ...(await ours.said(`t${first + nth}`, to.person.digits)) });
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, lane));
}

function figures(closings: number, words: ReadonlyMap<string, Word>): TroubleFigures {
  const all = [...words];
  const acked = all.filter(([, { ms }]) => ms !== null);
  const others = all.flatMap(([, { to, ms }]) => (ms !== null && to.isOther ? [ms] : [])).toSorted((a, b) => a - b);
  const quantile = (share: number): number => Number((others[Math.floor(others.length * share)] ?? 0).toFixed(1));
  const arrivals = ([netId, { to }]: (typeof all)[number]): number => to.person.arrivals(netId);
  return {
    texts: words.size,
    lost: acked.filter((each) => arrivals(each) === 0).length,
    doubled: all.filter((each) => arrivals(each) > 1).length,
    closings,
    unanswered: all.filter(([, { ms, isRefused }]) => ms === null && !isRefused).length,
    refused: all.filter(([, { isRefused }]) => isRefused).length,
    othersP50Ms: quantile(0.5),
    othersP99Ms: quantile(0.99),
  };
}

const nothing = async (): Promise<void> => {};

function recipient(peer: Peer, nth: number, isCalm: boolean): Recipient {
  const person = peer.contact(`62822${String(nth).padStart(8, '0')}`);
  const inTrouble = (worsen = nothing): Recipient => ({ person, isOther: false, worsen });
  const kind = nth % 10;
  if (isCalm || kind > 4) return { person, isOther: kind > 4, worsen: nothing };
  switch (kind) {
    case 0:
      person.hasKeys(false, person.addsDevice());
      return inTrouble();
    case 1:
      peer.fault({ kind: 'tells', of: (user) => withUnknownDevice(user, person) });
      return inTrouble();
    case 2:
      void person.is({ isOnline: false });
      return inTrouble();
    case 3: {
      const computer = entry(person.account.handsets, person.addsDevice());
      return inTrouble(async () => computer.forget(at(peer.phone(SHOP).linked, 0)));
    }
    default:
      person.hasKeys(false, person.addsDevice(), 403);
      return inTrouble();
  }
}

function withUnknownDevice({ attrs: { jid } }: Stanza, { jid: own, lid }: Person): readonly Stanza[] | null {
  if (jid !== own && jid !== lid) return null;
  const devices = [el('device', { id: 0 }), el('device', { id: 77, 'key-index': 77 })];
  return [el('devices', {}, [el('device-list', {}, devices)]), el('lid', { val: lid })];
}
