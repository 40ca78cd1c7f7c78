export interface Verdict {
  readonly kills: number;
  readonly answered: number;
  /** Number of requests answered with 202 whose message no phone shows. */
  readonly lost: number;
  readonly doubled: number;
  /** Number of requests answered with 202 whose message is not sent according to the log. */
  readonly unmarked: number;
  readonly written: number;
  readonly inboundLost: number;
  readonly inboundDoubled: number;
  readonly optOuts: number;
  readonly optOutsLost: number;
  readonly confirmedTwice: number;
  /** Keys that were reused with the same IV, and reused pre-key numbers. */
  readonly violations: readonly string[];
  readonly linked: number;
  readonly linksLost: number;
  /** Number of calls with an Idempotency-Key for which a retry got a different response. */
  readonly keysUnlike: number;
  readonly askedAgain: number;
}

export interface Found extends Pick<Verdict, 'kills' | 'violations' | 'askedAgain' | 'linked' | 'linksLost' | 'keysUnlike'> {
  readonly answered: readonly string[];
  readonly tried: readonly string[];
  readonly onPhones: readonly string[];
  readonly left: readonly string[];
  readonly written: readonly string[];
  readonly inLog: readonly string[];
  readonly stopped: readonly string[];
  readonly optedOut: readonly string[];
  /** The digits of the phone that shows each confirmation. */
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

export function harmOf(verdict: Verdict): Readonly<Record<Harm, number>> {
  const { lost, doubled, unmarked, inboundLost, inboundDoubled, optOutsLost, confirmedTwice, linksLost, keysUnlike = 0 } = verdict;
  const counts = { lost, doubled, unmarked, inboundLost, inboundDoubled, optOutsLost, confirmedTwice, linksLost, keysUnlike };
  return { ...counts, violations: verdict.violations.length };
}

function missing(all: readonly string[], found: readonly string[]): number {
  const known = new Set(found);
  return all.filter((one) => !known.has(one)).length;
}

function twice(all: readonly string[], found: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  return all.filter((one) => (counts.get(one) ?? 0) > 1).length;
}
