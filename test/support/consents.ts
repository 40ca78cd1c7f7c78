import { type Consents, consentsIn } from '../../store/consent/consents.ts';
import type { Store } from '../../store/port.ts';

/** Consents whose opt-outs without a number are found by a hash that anybody can read. */
export const testConsentsIn = (store: Store): Consents => consentsIn(store, (tenantId, subject) => `hash of ${subject} for ${tenantId}`);
