import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Decision, Hook, Known, ResolvedFact, StoreAction, StoreSettings } from '../protocol.ts';
import { decideCheckout, decideDeletion, endBoughtCheckouts } from './decide-checkout.ts';
import { decideOrder, decideShipment } from './decide-order.ts';

/** Uses only the state in the body, not the topic or arrival order, so that a repeat does no harm. */
export function decide(settings: StoreSettings, known: Known, hook: Hook): Decision {
  const { fact } = hook;
  if (fact.type === 'ignored') return { ref: fact.ref, outcome: 'ignored', detail: fact.detail, actions: [] };
  if (!settings.enabled)
    return { ref: refOf(fact), outcome: 'off', detail: 'the store is switched off', actions: endings(settings, known, hook) };
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

/** Ends reminders of bought or deleted checkouts, even if the store is disabled. */
function endings(settings: StoreSettings, known: Known, hook: Hook): readonly StoreAction[] {
  const isKnown = (action: StoreAction): boolean =>
    action.do !== 'rememberCheckout' || known.checkouts.some(({ checkoutId }) => checkoutId === action.memory.checkoutId);
  return endingsOf(settings, known, hook).filter(isKnown);
}

function endingsOf(settings: StoreSettings, known: Known, hook: Hook): readonly StoreAction[] {
  const { fact } = hook;
  switch (fact.type) {
    case 'order':
      return endBoughtCheckouts(known, fact.order, fact.phone, hook).actions;
    case 'checkout':
      return fact.checkout.isCompleted ? decideCheckout(settings, known, hook, fact).actions : [];
    case 'checkoutDeleted':
      return decideDeletion(known, hook, fact.checkoutId).actions;
    case 'shipment':
    case 'ignored':
      return [];
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
