import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, MAX_TEXT_LENGTH, type Rendered, render, type TokenValues, unknownTokensIn } from '../../../actors/domain/text-tokens.ts';

const ANNA: TokenValues = { name: 'Anna Maria Widodo', phone: '6281211110001', var1: 'one', var5: 'five', attrs: { city: 'Bandung' } };

const renderedFor = (text: string, values: TokenValues): Rendered => {
  const rendered = render(compile(text), values, MAX_TEXT_LENGTH);
  assert.ok(rendered, 'it is not too long');
  return rendered;
};
const textFor = (text: string, values: TokenValues = ANNA): string => renderedFor(text, values).text;
const missingFor = (text: string, values: TokenValues = ANNA): readonly string[] => renderedFor(text, values).missing;

describe('text tokens', () => {
  it("insert the recipient's data", () => {
    assert.equal(textFor('{name}/{first_name}/{phone}/{var1}/{var5}/{attr.city}'), 'Anna Maria Widodo/Anna/6281211110001/one/five/Bandung');
    assert.equal(textFor('{first_name}{first_name}'), 'AnnaAnna');
    assert.equal(textFor('no token at all'), 'no token at all');
    assert.equal(textFor(''), '');
  });

  it('accept a fallback in double braces, which may be empty', () => {
    assert.equal(textFor('Hi {{first_name|there}}!'), 'Hi Anna!');
    assert.equal(textFor('Hi {{first_name|there}}!', {}), 'Hi there!');
    assert.equal(textFor('Hi{{name|}}!', {}), 'Hi!');
    assert.equal(textFor('{{attr.city|your city}}', { attrs: {} }), 'your city');
    assert.equal(textFor('Hi {{name}}!'), 'Hi Anna Maria Widodo!');
  });

  it('render as nothing without a value or fallback, and are reported as missing', () => {
    assert.equal(textFor('Hi {name}, {var2}!', {}), 'Hi , !');
    assert.deepEqual(missingFor('{var2} {name} {var2} {{var3|x}} {attr.no_such}', ANNA), ['var2', 'attr.no_such']);
    assert.deepEqual(missingFor('{name}', { name: '  ' }), ['name']);
    assert.deepEqual(missingFor('{attr.constructor} {attr.__proto__}', { attrs: {} }), ['attr.constructor', 'attr.__proto__']);
  });

  it('are expanded once, and never inside inserted values or fallbacks', () => {
    assert.equal(textFor('{name}', { name: '{phone}', phone: '1' }), '{phone}');
    assert.equal(textFor('{var1}{var2}', { var1: '{na', var2: 'me}' }), '{name}');
    assert.equal(textFor('{{name|$& {var1', { var1: 'x' }), '{{name|$& {var1');
    assert.equal(textFor('{name}', { name: '$& $1' }), '$& $1');
  });

  it('match attribute names in any letter case, and render unknown attributes as empty', () => {
    const values: TokenValues = { attrs: { City: 'Bandung', 'shoe-size': '42' } };
    assert.equal(textFor('{attr.City}{attr.city}{attr.CITY}{{attr.cITY|x}}{attr.Shoe-Size}', values), 'BandungBandungBandungBandung42');
    assert.equal(textFor('{attr.Kode Pos}{attr.émail}{attr.1}{attr.no}', values), '');
    assert.equal(textFor('{attr.city}|{attr.City}', { attrs: { city: 'low', City: 'high' } }), 'low|high');
  });

  it('are recognized in any letter case, and render as empty when unknown', () => {
    assert.equal(textFor('{NAME} {First_Name} {VAR1} {Attr.city}'), 'Anna Maria Widodo Anna one Bandung');
    assert.equal(textFor('[{nmae}{var6}{var0}{attr.}{order.id}{país}]'), '[]');
    assert.equal(textFor('{{x|y}}'), 'y');
    assert.deepEqual(missingFor('{nmae} {name}'), ['nmae']);
    assert.deepEqual(unknownTokensIn('{nmae} {NAME} {{var6|x}} {nmae} {attr.any} { name }'), ['nmae', 'var6']);
  });

  it('leave all other braces unchanged', () => {
    for (const text of ['{ name }', '{first name}', '{}', '{{}}', '{"a":1}', '{a:1}', '{a-b}', '{name', '}{'])
      assert.equal(textFor(text), text);
    assert.equal(textFor('{{{name}}}'), '{Anna Maria Widodo}');
  });

  it('are read in one pass, even in hostile texts', () => {
    const text = '{{name|'.repeat(9_000);
    assert.equal(textFor(text), text);
    assert.equal(textFor('{name}'.repeat(10_000), {}), '');
    assert.deepEqual(missingFor('{name}{var1}'.repeat(5_000), {}), ['name', 'var1']);
  });

  it('never render more than the maximum text length, and stop reading values early', () => {
    let reads = 0;
    const values: TokenValues = {
      get var1() {
        reads += 1;
        return 'x'.repeat(500);
      },
    };
    assert.equal(render(compile('{var1}'.repeat(10_922)), values, 65_536), null);
    assert.equal(reads, 132);
    assert.equal(render(compile('{var1}!'), values, 501)?.text.length, 501);
    assert.equal(render(compile('{var1}!'), values, 500), null);
  });
});
