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

const segmentsOf = (path: string): readonly string[] => path.split('/');
const isVariable = (segment: string): boolean => segment.startsWith('{');

/** Finds the endpoint of an address as the server does: a literal segment goes before a variable one. */
export function rowFinder(rows: readonly RowFacts[]): (method: string, path: string) => RowFacts | undefined {
  const known = rows.map((row) => ({ row, segments: segmentsOf(row.path) }));
  return (method, address) => {
    const asked = segmentsOf(address.split('?')[0] ?? '');
    const fits = ({ row, segments }: (typeof known)[number]): boolean =>
      row.method === method &&
      segments.length === asked.length &&
      segments.every((segment, at) => (isVariable(segment) ? asked[at] !== '' : segment === asked[at]));
    const literals = ({ segments }: (typeof known)[number]): number => segments.filter((segment) => !isVariable(segment)).length;
    return known.filter(fits).sort((one, other) => literals(other) - literals(one))[0]?.row;
  };
}
