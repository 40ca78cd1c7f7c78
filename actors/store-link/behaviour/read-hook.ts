import type { Platform } from '../../../store/store-links/links.ts';
import type { ResolvedFact } from '../protocol.ts';
import type { StoreFact } from './facts.ts';
import { parseBody } from './loose-json.ts';
import { firstNumber } from './phones.ts';
import { readShopify } from './read-shopify.ts';
import { readWooCommerce } from './read-woocommerce.ts';

export function resolvedFact(platform: Platform, topic: string, body: string, callingCode: string): ResolvedFact {
  const fact = readHook(platform, topic, body);
  switch (fact.type) {
    case 'order':
      return { ...fact, phone: firstNumber(fact.order.phones, callingCode) };
    case 'shipment':
      return { ...fact, phone: firstNumber(fact.shipment.phones, callingCode) };
    case 'checkout':
      return { ...fact, phone: firstNumber(fact.checkout.phones, callingCode) };
    default:
      return fact;
  }
}

function readHook(platform: Platform, topic: string, body: string): StoreFact {
  try {
    const json = parseBody(body);
    return platform === 'platform_a' ? readShopify(topic, json) : readWooCommerce(topic, json);
  } catch {
    return { type: 'ignored', ref: null, detail: 'the body is not JSON' };
  }
}
