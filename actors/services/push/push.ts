import { hash } from 'node:crypto';
import type { BrowserOwner, PushStore, SubscriptionRow } from '../../../store/push/push.ts';
import { refusal } from '../../domain/refusals.ts';
import { isPushService } from './hosts.ts';
import { areBrowserKeys } from './keys.ts';
import { testNotice } from './notice.ts';
import type { PushClient } from './push-client.ts';

export interface BrowserLogin extends BrowserOwner {
  readonly role: 'admin' | 'agent';
  readonly family: string;
}

export interface BrowserKeys {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly lang: 'en' | 'id';
}

export interface PushDeps {
  readonly store: PushStore;
  readonly post: PushClient;
  /** Additional `host:port` pairs that count as push services, for tests. */
  readonly allow: readonly string[];
}

export interface Push {
  publicKey(): Promise<string>;
  subscribe(login: BrowserLogin, browser: BrowserKeys, now: number): Promise<void>;
  renew(login: BrowserLogin, browser: BrowserKeys, now: number): Promise<boolean>;
  unsubscribe(owner: BrowserOwner, endpoint: string): Promise<void>;
  test(owner: BrowserOwner, endpoint: string, lang: 'en' | 'id'): Promise<void>;
}

const MAX_BROWSERS = 20;

export function createPush({ store, post, allow }: PushDeps): Push {
  return {
    publicKey: post.publicKey,

    async subscribe(login, browser, now) {
      if (!isPushService(browser.endpoint, allow)) throw refusal('VALIDATION_FAILED', { field: 'endpoint', reason: NO_PUSH_SERVICE });
      if (!areBrowserKeys(browser.p256dh, browser.auth)) throw refusal('VALIDATION_FAILED', { field: 'keys', reason: NO_KEYS });
      await store.subscribe(rowOf(login, browser, now), MAX_BROWSERS);
    },

    renew: (login, browser, now) => store.renew(rowOf(login, browser, now)),

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
const NO_KEYS = { en: 'keys must be the keys of a push subscription', id: 'keys harus berupa kunci langganan push' } as const;

const rowOf = ({ tenantId, agentId, role, family }: BrowserLogin, browser: BrowserKeys, now: number): SubscriptionRow => ({
  ...{ _id: idOf(browser.endpoint), ...browser },
  ...{ tenant_id: tenantId, agent_id: agentId, role, family, created_at: now },
});

const idOf = (endpoint: string): string => hash('sha256', endpoint, 'hex');
