import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aboveCeilings } from '../../../scripts/bench/goals.ts';
import type { Table } from '../../../scripts/bench/rounds.ts';

const sends = (ratio: number): Table => ({
  title: 'http: 202 to a 296-byte body, 50 connections',
  ceiling: 'bare hapi',
  metrics: [],
  rows: [{ variant: 'gateway', figures: new Map([['cpuUs', { median: 1, least: 1, most: 1, ratio }]]), failed: 0, complaint: '' }],
});
const ofSends = (tables: readonly Table[]): readonly string[] =>
  aboveCeilings(tables).filter((line) => line.startsWith('accepted send, CPU'));

describe('the benchmark', () => {
  it('reports each ratio that exceeds its ceiling or was not measured', () => {
    assert.deepEqual(ofSends([sends(1.45)]), []);
    assert.deepEqual(ofSends([sends(2)]), ['accepted send, CPU: 2.00x, ceiling 1.81x']);
    assert.deepEqual(ofSends([]), ['accepted send, CPU: not measured']);
  });
});
