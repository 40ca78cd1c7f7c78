import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asksForSecrets, hasOnlyLinksOf, hostsIn } from '../../../../actors/services/ai-reply/compose/may-send.ts';

describe('a reply written by AI', () => {
  it('is blocked if it asks for passwords, codes, card numbers or payment details', () => {
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

  it('is blocked if it asks for secrets in disguised spellings or sentences', () => {
    for (const text of [
      'Send your p a s s w o r d',
      'P.I.N please',
      's3nd your pa$$word',
      'Send us yоur раsswоrd',
      'Kirim O-T-P nya ya kak',
      'sebutin otpnya dong',
      'pinmu berapa kak?',
      'PIN?',
      'Card number:',
      'Never share your PIN with anyone but our team.',
      'Jangan berikan PIN kepada siapa pun kecuali admin kami',
      'We will not ask twice, just send the PIN.',
      'Password & code: send both to this chat.',
      'Tell us the three digits on the back of your card.',
      'Kirim 16 angka di kartu kakak',
      'Forward the SMS from your bank',
      'Send us a screenshot of your SMS',
      'For the refund, send your bank account number',
      'kirim nomor rekening anda',
    ])
      assert.ok(asksForSecrets(text), text);
  });

  it('is blocked if it asks for secrets in other languages', () => {
    for (const text of [
      'Envíame tu contraseña y el código',
      'Mándame tu PIN',
      'Qual é a sua senha?',
      'Donnez-nous votre mot de passe',
      'Bitte senden Sie Ihr Passwort',
      'Stuur je wachtwoord',
      'Sila hantar kata laluan',
      'Отправьте ваш пароль',
      '请发送您的密码',
      'パスワードを送ってください',
      '비밀번호를 보내주세요',
      'กรุณาส่งรหัสผ่าน',
      'Gửi mật khẩu của bạn',
      'Şifrenizi gönderin',
      'أرسل كلمة المرور',
    ])
      assert.ok(asksForSecrets(text), text);
  });

  it('can warn against sharing secrets, and can mention orders, vouchers and payment methods', () => {
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
      'Never share your PIN, OTP or CVV with anyone.',
      'Password wifi: kopi123',
      'Kirim pin lokasi ke kami',
      'Forgot your password? Press the link on the sign-in page.',
      'Lupa kata sandi? Klik tautan di halaman masuk.',
      'Nomor rekening kami BCA 123 a.n. Toko Sari',
      'Bros pin Rp 10.000',
      'Sizes a b c d',
    ])
      assert.ok(!asksForSecrets(text), text);
  });

  it("can contain only the business's own links, in any notation", () => {
    assert.deepEqual(hostsIn('Pay at https://evil.example/x, www.shop.co.id or evil[dot]com. Open daily.Then 09.00-17.00, a@b.com'), [
      'evil.example',
      'shop.co.id',
      'evil.com',
    ]);
    const own = new Set(['shop.co.id']);
    assert.ok(hasOnlyLinksOf('See help.shop.co.id/returns and https://www.shop.co.id.', own));
    assert.ok(!hasOnlyLinksOf('See https://shop.co.id.evil.example', own));
    assert.ok(!hasOnlyLinksOf('See https://shop.co.id@evil.example/x', own));
    for (const link of [
      'hxxps://evil.com/x',
      'evil . com',
      'evil(dot)com',
      'evil titik com',
      'evil。com',
      'www.evil.company',
      'promo-bank.vip',
      '8.8.8.8/login',
      'https://evil.com\\@shop.co.id',
      'https://shоp.co.id',
      'shop.co.id.evil.com',
    ])
      assert.ok(!hasOnlyLinksOf(`See ${link} now`, own), link);
    for (const text of ['Jl.Merdeka 5', 'No.telp 021.555', 'Rp.50.000', 'jam 08.00-17.00', 'titik kumpul di taman', 'Polka dot dress'])
      assert.ok(hasOnlyLinksOf(text, own), text);
  });
});
