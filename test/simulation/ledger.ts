/**
 * Results that callers received, as they remember them, independent of everything that the product stores. Verdicts
 * are based on them, on what the phones show, and on what the receivers got.
 */
export interface Outgoing {
  readonly key: string;
  readonly kind: 'send' | 'scheduled';
  readonly tenant: string;
  readonly device: string;
  readonly to: string;
  readonly text: string;
  /** Null until a caller has received it. */
  id: string | null;
  /** For example `404 NOT_FOUND`, if the caller was told that the message is not sent. */
  refused: string | null;
  /** Whether the caller gave up without learning the outcome. */
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
  /** Virtual time at which it was created. */
  readonly madeAt: number;
  /** People who had been opted out for some seconds by then. */
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
  /** Number of times each tenant's program pulled each event. */
  readonly pulled = new Map<string, Map<string, number>>();
  /** Virtual time until which a person may have been opted in again by an API call, by `<tenant>:<digits>`. */
  readonly optIns = new Map<string, number>();
  /** Requests without a response. */
  noAnswers = 0;

  /** Whether the person may have been opted in again after the campaign was created. */
  mayBeIn({ tenant, madeAt }: SimCampaign, phone: string): boolean {
    return (this.optIns.get(`${tenant}:${phone}`) ?? Number.NEGATIVE_INFINITY) >= madeAt;
  }
}
