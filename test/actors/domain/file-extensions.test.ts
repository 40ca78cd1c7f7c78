import assert from 'node:assert/strict';
import { it } from 'node:test';
import { documentName } from '../../../actors/domain/file-extensions.ts';

it('a document name without an extension gets one that matches its type, and other names stay unchanged', () => {
  const pdf = 'application/pdf';
  const cases: readonly (readonly [string | null, string, string])[] = [
    ['Invoice', pdf, 'Invoice.pdf'],
    [null, pdf, 'file.pdf'],
    ['Price list v1.2', pdf, 'Price list v1.2.pdf'],
    ['Invoice.PDF', pdf, 'Invoice.PDF'],
    ['archive.tar', 'application/zip', 'archive.tar'],
    ['notes', 'text/plain; charset=utf-8', 'notes.txt'],
    ['data', 'application/octet-stream', 'data'],
  ];
  for (const [name, type, expected] of cases) assert.equal(documentName(name, type), expected);
});
