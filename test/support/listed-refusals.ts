import assert from 'node:assert/strict';
import type { RowFacts } from '../../http/core/engine.ts';
import { codesOf } from '../../http/openapi/row-facts.ts';

/** A refusal is one of those that OpenAPI lists for its row; `shown`: what was asked and answered. */
export function expectListed(row: RowFacts, { status, code }: { readonly status: number; readonly code: string }, shown: string): void {
  if (status < 400) return;
  // An address that a hostile id makes another one has other methods, too.
  const isOfAnotherAddress = code === 'METHOD_NOT_ALLOWED' && row.path.includes('{');
  assert.ok(isOfAnotherAddress || codesOf(row).some((each) => each === code), `${code} is not among the codes of ${row.id}: ${shown}`);
}
