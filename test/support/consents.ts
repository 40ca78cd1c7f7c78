import { type Consents, consentsIn } from '../../store/consent/consents.ts';
import type { Store } from '../../store/port.ts';

/** Returns consents that find opt-outs without a number by a publicly computable hash. */
export const testConsentsIn = (store: Store): Consents => consentsIn(store, (tenantId, subject) => `hash of ${subject} for ${tenantId}`);
