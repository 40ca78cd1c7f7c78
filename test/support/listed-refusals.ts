import assert from 'node:assert/strict';
import type { RowFacts } from '../../http/core/engine.ts';
import { codesOf } from '../../http/openapi/row-facts.ts';

/** Asserts that a refusal is listed in OpenAPI for its endpoint. `shown`: description of the request and response. */
export function expectListed(row: RowFacts, { status, code }: { readonly status: number; readonly code: string }, shown: string): void {
  if (status < 400) return;
  // A hostile id may turn the address into another one that has other methods.
  const isOfAnotherAddress = code === 'METHOD_NOT_ALLOWED' && row.path.includes('{');
  assert.ok(isOfAnotherAddress || codesOf(row).some((each) => each === code), `${code} is not among the codes of ${row.id}: ${shown}`);
}
