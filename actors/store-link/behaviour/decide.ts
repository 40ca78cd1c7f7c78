import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Decision, Hook, Known, ResolvedFact, StoreSettings } from '../protocol.ts';
import { decideCheckout, decideDeletion } from './decide-checkout.ts';
import { decideOrder, decideShipment } from './decide-order.ts';

/**
 * The consequences of one webhook. Pure, and the same after a crash in the middle of its actions: the messages depend on the state in the body and
 * on the messages sent before, never on the topic or the order of arrival.
 */
export function decide(settings: StoreSettings, known: Known, hook: Hook): Decision {
  const { fact } = hook;
  if (fact.type === 'ignored') return { ref: fact.ref, outcome: 'ignored', detail: fact.detail, actions: [] };
  if (!settings.enabled) return { ref: refOf(fact), outcome: 'off', detail: 'the store is switched off', actions: [] };
  switch (fact.type) {
    case 'order':
      return decideOrder(settings, known, hook, fact);
    case 'shipment':
      return decideShipment(settings, known, hook, fact);
    case 'checkout':
      return decideCheckout(settings, known, hook, fact);
    case 'checkoutDeleted':
      return decideDeletion(known, hook, fact.checkoutId);
    default:
      return unreachable(fact);
  }
}

function refOf(fact: Exclude<ResolvedFact, { type: 'ignored' }>): string | null {
  switch (fact.type) {
    case 'order':
      return fact.order.ref;
    case 'shipment':
      return fact.shipment.ref;
    case 'checkout':
      return fact.checkout.id;
    case 'checkoutDeleted':
      return fact.checkoutId;
    default:
      return unreachable(fact);
  }
}
