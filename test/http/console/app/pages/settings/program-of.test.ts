import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { programOf } from '../../../../../../http/console/app/pages/settings/program-of.ts';

describe('the client name derived from a User-Agent header', () => {
  const CASES = [
    ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36', 'Chrome, Android'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0',
      'Edge, Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari, iPhone',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox, Linux'],
    ['curl/8.5.0', 'curl'],
    [`my-shop ${'x'.repeat(200)}`, `my-shop ${'x'.repeat(52)}`],
  ] as const;
  for (const [header, name] of CASES) it(`is ${name}`, () => assert.equal(programOf(header), name));
});
