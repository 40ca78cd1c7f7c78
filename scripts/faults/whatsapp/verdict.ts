/** What became of all that was under way while a gateway was killed. */
export interface Verdict {
  readonly kills: number;
  readonly answered: number;
  /** Answered 202, and on no phone. */
  readonly lost: number;
  /** On a phone under two ids. */
  readonly doubled: number;
  /** Answered 202, and the log does not know that it left. */
  readonly unmarked: number;
  readonly written: number;
  /** Written by a phone and not in the gateway's log. */
  readonly inboundLost: number;
  readonly inboundDoubled: number;
  readonly optOuts: number;
  /** A phone wrote STOP, and is not opted out. */
  readonly optOutsLost: number;
  /** A phone that wrote STOP shows more than one confirmation. */
  readonly confirmedTwice: number;
  /** What the network must never see: a key and IV, or a pre-key number, used twice. */
  readonly violations: readonly string[];
  /** Phones that took a device for linked when its gateway died. */
  readonly linked: number;
  /** Devices that do not log in with such a link, or do not work once they are linked. */
  readonly linksLost: number;
  /** Calls with an Idempotency-Key that were not answered again as they were before. */
  readonly keysUnlike: number;
  /** Ciphertexts that a phone could not read, and asked for once more. */
  readonly askedAgain: number;
}

/** What was said, and what is found of it in the end. */
export interface Found extends Pick<Verdict, 'kills' | 'violations' | 'askedAgain' | 'linked' | 'linksLost' | 'keysUnlike'> {
  readonly answered: readonly string[];
  /** What is there once at most, answered or not. */
  readonly tried: readonly string[];
  /** Everything that phones show. */
  readonly onPhones: readonly string[];
  /** All of which the log says that it left. */
  readonly left: readonly string[];
  readonly written: readonly string[];
  /** All that the log says came in. */
  readonly inLog: readonly string[];
  readonly stopped: readonly string[];
  readonly optedOut: readonly string[];
  /** Each confirmation, by the digits of the phone that shows it. */
  readonly confirmed: readonly string[];
}

export function verdictOf({ answered, tried, written, stopped, ...found }: Found): Verdict {
  const { kills, violations, linked, linksLost, keysUnlike, askedAgain } = found;
  return {
    kills,
    answered: answered.length,
    lost: missing(answered, found.onPhones),
    doubled: twice([...new Set([...answered, ...tried])], found.onPhones),
    unmarked: missing(answered, found.left),
    written: written.length,
    inboundLost: missing(written, found.inLog),
    inboundDoubled: twice(written, found.inLog),
    optOuts: stopped.length,
    optOutsLost: missing(stopped, found.optedOut),
    confirmedTwice: twice(stopped, found.confirmed),
    violations,
    linked,
    linksLost,
    keysUnlike,
    askedAgain,
  };
}

/** Two runs as one. */
export function together(one: Verdict, other: Verdict): Verdict {
  const sum = (name: keyof Omit<Verdict, 'violations'>): number => (one[name] ?? 0) + (other[name] ?? 0);
  return {
    kills: sum('kills'),
    answered: sum('answered'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    unmarked: sum('unmarked'),
    written: sum('written'),
    inboundLost: sum('inboundLost'),
    inboundDoubled: sum('inboundDoubled'),
    optOuts: sum('optOuts'),
    optOutsLost: sum('optOutsLost'),
    confirmedTwice: sum('confirmedTwice'),
    violations: [...one.violations, ...other.violations],
    linked: sum('linked'),
    linksLost: sum('linksLost'),
    keysUnlike: sum('keysUnlike'),
    askedAgain: sum('askedAgain'),
  };
}

const HARMS = [
  'lost',
  'doubled',
  'unmarked',
  'inboundLost',
  'inboundDoubled',
  'optOutsLost',
  'confirmedTwice',
  'linksLost',
  'keysUnlike',
  'violations',
] as const;
export type Harm = (typeof HARMS)[number];

/** What a run with nothing wrong in it has none of. */
export function harmOf(verdict: Verdict): Readonly<Record<Harm, number>> {
  const { lost, doubled, unmarked, inboundLost, inboundDoubled, optOutsLost, confirmedTwice, linksLost, keysUnlike = 0 } = verdict;
  const counts = { lost, doubled, unmarked, inboundLost, inboundDoubled, optOutsLost, confirmedTwice, linksLost, keysUnlike };
  return { ...counts, violations: verdict.violations.length };
}

function missing(all: readonly string[], found: readonly string[]): number {
  const known = new Set(found);
  return all.filter((one) => !known.has(one)).length;
}

/** How many of these are found more than once. */
function twice(all: readonly string[], found: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  return all.filter((one) => (counts.get(one) ?? 0) > 1).length;
}
