import type { Privacy } from '../account.ts';
import type { BusinessProfile, Product } from '../business.ts';
import type { LabelFacts } from '../labels.ts';

export interface MadeCall {
  readonly id: string;
  readonly to: string;
  state: 'ringing' | 'rejected' | 'answered' | 'missed' | 'ended';
  answeredAt?: number;
}

const KEPT_CALLS = 1_000;

export class AccountPage {
  picture: string | null = null;
  privacy: Privacy = {
    ...{ last_seen: 'all', online: 'all', picture: 'all', about: 'all', status: 'contacts', groups: 'all', calls: 'all' },
    read_receipts: true,
    default_timer: 0,
  };
  readonly blocked = new Set<string>();
  business: BusinessProfile = {
    ...{ address: null, description: null, email: null, websites: [], categories: [], category_names: [], hours: null },
  };
  readonly products = new Map<string, Product>();
  readonly labels = new Map<string, LabelFacts>();
  readonly labelled = new Map<string, Set<string>>();
  lastLabel = 0;
  calls: readonly MadeCall[] = [];

  called(call: MadeCall): void {
    this.calls = [...this.calls, call].slice(-KEPT_CALLS);
  }
}

export class AccountPages {
  readonly #pages = new Map<string, AccountPage>();

  of(digits: string): AccountPage {
    const page = this.#pages.get(digits) ?? new AccountPage();
    this.#pages.set(digits, page);
    return page;
  }

  madeCall(id: string): { readonly caller: string; readonly calls: readonly MadeCall[] } | null {
    for (const [caller, { calls }] of this.#pages) {
      const same = calls.filter((call) => call.id === id);
      if (same.length > 0) return { caller, calls: same };
    }
    return null;
  }

  hasBlocked(digits: string, other: string): boolean {
    return this.#pages.get(digits)?.blocked.has(other) ?? false;
  }
}
