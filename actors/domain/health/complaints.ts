/**
 * Decides when complaints pause the campaigns of a device, from its campaign messages of the last
 * seven days. A person is counted once per campaign, and only if the message arrived. The limits
 * (`COMPLAINT_LIMITS`) require a minimum sample, because one opt-out from three messages proves
 * nothing.
 */

export type Complaint = 'opt_outs' | 'blocks' | 'first_contacts' | 'lookups';

/** Null disables a check. `opt_outs` and `blocks` are per 1,000 messages, the other two are fractions. */
export type ComplaintLimits = Readonly<Record<Complaint, number | null>>;

export interface CampaignFigures {
  readonly sent: number;
  readonly optOuts: number;
  readonly blocks: number;
  readonly first: number;
  readonly unknown: number;
}

export interface FoundComplaint {
  readonly what: Complaint;
  readonly figure: number;
  readonly times: number;
}

const NAMES: Readonly<Record<string, Complaint>> = { optouts: 'opt_outs', blocks: 'blocks', first: 'first_contacts', lookups: 'lookups' };

/** Our own choice: 2 % opt-outs is four times the rate that mail providers consider bad. */
export const DEFAULT_COMPLAINT_LIMITS: ComplaintLimits = { opt_outs: 20, blocks: 5, first_contacts: 0.8, lookups: 0.3 };

const ENOUGH = 50;
const ENOUGH_PEOPLE = 3;
/** In a new installation, every customer is a first contact, so a larger sample is needed. */
const ENOUGH_FOR_FIRST = 2_000;

const PART = /^(optouts|blocks|first|lookups):(off|\d{1,4}(?:\.\d{1,6})?)$/;

/** Parses a setting such as `optouts:20,first:off`. Returns null if malformed. */
export function complaintLimitsIn(text: string): ComplaintLimits | null {
  const limits: Record<Complaint, number | null> = { ...DEFAULT_COMPLAINT_LIMITS };
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = PART.exec(part.trim()) ?? [];
    const what = NAMES[name];
    if (what === undefined || seen.has(name)) return null;
    seen.add(name);
    const bound = value === 'off' ? null : Number(value);
    if (bound !== null && bound > (isRate(what) ? 1_000 : 1)) return null;
    limits[what] = bound;
  }
  return limits;
}

const isRate = (what: Complaint): boolean => what === 'opt_outs' || what === 'blocks';

export function complaintsIn(figures: CampaignFigures, limits: ComplaintLimits): readonly FoundComplaint[] {
  const { sent, optOuts, blocks, first, unknown } = figures;
  return [
    ...found('opt_outs', optOuts >= ENOUGH_PEOPLE && sent >= ENOUGH, optOuts / sent, limits),
    ...found('blocks', blocks >= ENOUGH_PEOPLE && sent >= ENOUGH, blocks / sent, limits),
    ...found('first_contacts', sent >= ENOUGH_FOR_FIRST, first / sent, limits),
    ...found('lookups', sent + unknown >= ENOUGH, unknown / (sent + unknown), limits),
  ];
}

export const holdingBack = (complaints: readonly FoundComplaint[]): readonly FoundComplaint[] =>
  complaints.filter(({ times }) => times > 1);

function found(what: Complaint, isEnough: boolean, share: number, limits: ComplaintLimits): readonly FoundComplaint[] {
  const bound = limits[what];
  if (bound === null || !isEnough || share === 0) return [];
  const figure = isRate(what) ? share * 1_000 : share;
  const times = bound === 0 ? Number.POSITIVE_INFINITY : figure / bound;
  return times < 1 ? [] : [{ what, figure: isRate(what) ? Math.round(figure) : Math.round(figure * 1_000) / 1_000, times }];
}
