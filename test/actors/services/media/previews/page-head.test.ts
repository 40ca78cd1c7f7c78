import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headOf, textOf } from '../../../../../actors/services/media/previews/page-head.ts';

describe('the preview of a page', () => {
  it("has the title, description and picture from the page's preview tags, if there are any", () => {
    const page = `<!doctype html><html><head><!-- <meta property="og:title" content="hidden"> -->
      <script>document.write('<meta property="og:title" content="scripted">')</script>
      <title>Plain &amp; simple</title>
      <META content='Kopi &quot;Gula&quot;&#8239;‮ Aren' property=og:title />
      <meta name=description content="  one
        line "><meta property="og:image" content=/a.jpg><meta property="og:title" content="second"></head>
      <meta property="og:description" content="of the body">`;
    assert.deepEqual(headOf(page), { title: 'Kopi "Gula" Aren', description: 'one line', picture: '/a.jpg' });
    assert.deepEqual(headOf('<title>Plain &amp; simple</title>'), { title: 'Plain & simple', description: null, picture: null });
    assert.deepEqual(headOf('<p>nothing'), { title: null, description: null, picture: null });
  });

  it('is shortened to the size of a preview card', () => {
    const { title, description } = headOf(`<title>${'🍜'.repeat(400)}</title><meta name=description content="${'x'.repeat(900)}">`);
    assert.deepEqual([[...(title ?? '')].length, description?.length], [256, 512]);
  });

  it('is read in the charset named in the response header or in the page', () => {
    const bytes = Buffer.from('<meta charset="windows-1251"><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>', 'latin1');
    assert.equal(headOf(textOf(bytes, null)).title, 'Привет');
    assert.equal(headOf(textOf(bytes, 'text/html; charset=windows-1251')).title, 'Привет');
    assert.equal(headOf(textOf(Buffer.from('<title>é</title>'), 'text/html; charset=nonsense')).title, 'é');
  });

  it('is read in linear time, whatever the page contains', () => {
    for (const part of ['<meta a="', "<meta a='", '<title>', '<!--', '<script>', '<div>', '<meta a ', '&amp', '<meta a=b '.repeat(3)]) {
      const cost = (size: number): number => {
        const page = part.repeat(size / part.length);
        const began = process.cpuUsage();
        headOf(page);
        return process.cpuUsage(began).user;
      };
      assert.ok(cost(256 * 1024) < 400_000, part);
    }
  });
});
