import { hash } from 'node:crypto';
import type { BrowserOwner, PushStore, SubscriptionRow } from '../../../store/push/push.ts';
import { refusal } from '../../domain/refusals.ts';
import { isPushService } from './hosts.ts';
import { areBrowserKeys } from './keys.ts';
import { testNotice } from './notice.ts';
import type { PushClient } from './push-client.ts';

/** The login that a browser subscribes with. */
export interface BrowserLogin extends BrowserOwner {
  readonly role: 'admin' | 'agent';
  readonly family: string;
}

/** The subscription of a browser. */
export interface BrowserKeys {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly lang: 'en' | 'id';
}

export interface PushDeps {
  readonly store: PushStore;
  readonly post: PushClient;
  /** `host:port` pairs that count as push services, for tests. */
  readonly allow: readonly string[];
}

/** A login's browsers. */
export interface Push {
  publicKey(): Promise<string>;
  /** Rejects with Refusal VALIDATION_FAILED for addresses that are no push service and keys that are none. */
  subscribe(login: BrowserLogin, browser: BrowserKeys, now: number): Promise<void>;
  unsubscribe(owner: BrowserOwner, endpoint: string): Promise<void>;
  /** Rejects with Refusal NOT_FOUND (not, or no longer, subscribed) or PUSH_FAILED. */
  test(owner: BrowserOwner, endpoint: string, lang: 'en' | 'id'): Promise<void>;
}

/** Browsers that one login's person may have subscribed; the one subscribed longest ago makes room. */
const MAX_BROWSERS = 20;

export function createPush({ store, post, allow }: PushDeps): Push {
  return {
    publicKey: post.publicKey,

    async subscribe({ tenantId, agentId, role, family }, { endpoint, p256dh, auth, lang }, now) {
      if (!isPushService(endpoint, allow)) throw refusal('VALIDATION_FAILED', { field: 'endpoint', reason: NO_PUSH_SERVICE });
      if (!areBrowserKeys(p256dh, auth)) throw refusal('VALIDATION_FAILED', { field: 'keys', reason: NO_KEYS });
      const browser = { _id: idOf(endpoint), endpoint, p256dh, auth, lang };
      const row: SubscriptionRow = { ...browser, tenant_id: tenantId, agent_id: agentId, role, family, created_at: now };
      await store.subscribe(row, MAX_BROWSERS);
    },

    unsubscribe: (owner, endpoint) => store.unsubscribe(owner, idOf(endpoint)),

    async test(owner, endpoint, lang) {
      const subscription = await store.find(owner, idOf(endpoint));
      if (subscription === null) throw refusal('NOT_FOUND');
      const posted = await post.send(subscription, testNotice(lang));
      if (posted === 'sent') return;
      if (posted === 'failed') throw refusal('PUSH_FAILED');
      await store.forget(subscription);
      throw refusal('NOT_FOUND');
    },
  };
}

const NO_PUSH_SERVICE = {
  en: "endpoint is not the address of a browser's push service",
  id: 'endpoint bukan layanan push peramban',
} as const;
const NO_KEYS = { en: 'keys are not the keys of a subscription', id: 'keys bukan kunci langganan' } as const;

const idOf = (endpoint: string): string => hash('sha256', endpoint, 'hex');
