import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asksForSecrets, hasOnlyLinksOf, hostsIn } from '../../../../actors/services/ai-reply/compose/may-send.ts';

describe('a text sent by AI', () => {
  it('never asks for passwords, codes, card numbers or payment details', () => {
    for (const text of [
      'Send your password and the code',
      'Please send us your card number and CVV.',
      'What is your PIN?',
      'Reply with the 6-digit code you received.',
      'Kirim kode OTP yang masuk ke HP kakak ya.',
      'Mohon sebutkan nomor kartu kredit Anda.',
      'Masukkan kata sandi',
      'To continue, we need your payment details.',
      'Your password, please',
      'Balas dengan kode yang kami kirim',
      'Tolong infokan PIN ATM',
      'Confirm your card details to get the discount',
      'berapa nomor kartu kakak?',
      'Verify your account: type your login and password',
      'Send a photo of your credit card',
      'Don’t worry. Share your ＰＩＮ.',
    ])
      assert.ok(asksForSecrets(text), text);
  });

  it('may warn of such requests, and mention orders, vouchers and payment methods', () => {
    for (const text of [
      'Never share your PIN with anyone.',
      'Jangan berikan kode OTP kepada siapa pun.',
      'We will never ask for your password.',
      'Kirim bukti transfer ke rekening BCA 123.',
      'Enter promo code HEMAT10 at checkout.',
      'Enter the code HEMAT10 at checkout.',
      'We accept credit card and cash.',
      'Kode pos kami 40111',
      'Send us your order number and address.',
      'Kirim foto kartu garansi',
      'We will send you the tracking code',
    ])
      assert.ok(!asksForSecrets(text), text);
  });

  it('contains links of the business only, in any notation', () => {
    assert.deepEqual(hostsIn('Pay at https://evil.example/x, www.shop.co.id or evil[dot]com. Open daily.Then 09.00-17.00, a@b.com'), [
      'evil.example',
      'shop.co.id',
      'evil.com',
    ]);
    const own = new Set(['shop.co.id']);
    assert.ok(hasOnlyLinksOf('See help.shop.co.id/returns and https://www.shop.co.id.', own));
    assert.ok(!hasOnlyLinksOf('See https://shop.co.id.evil.example', own));
    assert.ok(!hasOnlyLinksOf('See https://shop.co.id@evil.example/x', own));
  });
});
