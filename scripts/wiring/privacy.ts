import { createErasing, type Erasing } from '../../actors/services/privacy/erasure.ts';
import { aiChatsIn } from '../../store/ai-reply/chats.ts';
import { unansweredIn } from '../../store/ai-reply/unanswered.ts';
import type { AuditedStore } from '../../store/audit/audited-store.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import { type Erasures, erasuresIn } from '../../store/privacy/erasures.ts';
import { storeLinksIn } from '../../store/store-links/links.ts';
import type { ActorServices } from './actors.ts';

export interface Privacy {
  readonly erasures: Erasures;
  readonly erasing: Erasing;
  hintErasures(now: number): void;
}

/** What a business owes to the people who write to it. */
export function startPrivacy(store: AuditedStore, services: ActorServices): Privacy {
  const erasures = erasuresIn(store);
  const failed = (cause: unknown): void =>
    services.log.warn({ event: 'privacy.erasure_delayed', err: cause }, 'an erasure could not go on; it is tried again');
  const erasing = createErasing({
    ...services,
    erasures,
    identities: identitiesIn(store),
    links: storeLinksIn(store),
    unanswered: unansweredIn(store),
    aiChats: aiChatsIn(store),
    collections: store.known,
    failed,
  });
  return { erasures, erasing, hintErasures: (now) => void erasing.continueAll(now).catch(failed) };
}
