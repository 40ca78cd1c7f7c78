/**
 * What callers were told, as they remember it: independent of everything that the product stores. Together with what the phones show and what the
 * receivers got it is the evidence that verdicts are given on.
 */
export interface Outgoing {
  readonly key: string;
  readonly kind: 'send' | 'scheduled';
  readonly tenant: string;
  readonly device: string;
  readonly to: string;
  readonly text: string;
  /** Null until a caller was told it. */
  id: string | null;
  /** `404 NOT_FOUND`: the caller was told that it is not sent. */
  refused: string | null;
  /** Nobody was told what became of it. */
  gaveUp: boolean;
  cancelled: boolean;
  readonly statuses: string[];
  rank: number;
}

export interface Incoming {
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

export interface SimCampaign {
  readonly tenant: string;
  readonly text: string;
  readonly id: string;
  readonly people: readonly string[];
  /** Who had opted out for some seconds when it began. */
  excluded: readonly string[];
  started: boolean;
  cancelled: boolean;
}

export interface Newcomer {
  readonly phone: string;
  readonly tenants: Set<string>;
}

export class Ledger {
  readonly outgoing: Outgoing[] = [];
  readonly incoming: Incoming[] = [];
  readonly campaigns: SimCampaign[] = [];
  readonly newcomers: Newcomer[] = [];
  /** Of each tenant, how often its program pulled each event. */
  readonly pulled = new Map<string, Map<string, number>>();
  /** Requests that got no answer. */
  noAnswers = 0;
}
