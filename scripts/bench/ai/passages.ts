import { Knowledge } from '../../../actors/services/ai-reply/retrieval/knowledge.ts';
import { at } from '../../../runtime/invariant.ts';
import { oneOf, seededRandom } from '../../../runtime/random.ts';
import { type SafeText, safeText } from '../../../runtime/safe-text.ts';

const COMMON = (
  'pelanggan barang produk layanan garansi pengembalian kirim kota alamat jam buka hari kerja syarat ketentuan nomor rekening transfer pembayaran promo diskon anggota ukuran ' +
  'warna bahan stok pesan batal ganti rusak klaim formulir kantor cabang telepon email aplikasi yang dan di ke dari untuk dengan pada adalah dapat akan harus'
).split(' ');
const PASSAGE_WORDS = 120;
const QUESTION_WORDS = 10;

const passages = process.argv[2] === 'quick' ? 500 : 5_000;
const random = seededRandom(7);
const word = (): string => (random() < 0.5 ? oneOf(COMMON, random) : `kata${Math.floor(random() * random() * 20_000).toString(36)}`);
const text = (words: number): SafeText => safeText(Array.from({ length: words }, word).join(' '));
const cpuMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

const before = process.memoryUsage();
const start = process.cpuUsage();
const knowledge = new Knowledge(random);
for (let at = 0; at < passages; at += 1)
  knowledge.add([{ kind: 'document', id: `d${at >> 5}`, name: 'buku.pdf', heading: text(3), text: text(PASSAGE_WORDS) }]);
knowledge.pack();
const buildMs = cpuMs(process.cpuUsage(start));
globalThis.gc?.();
const after = process.memoryUsage();

const times = Array.from({ length: 300 }, () => {
  const question = text(QUESTION_WORDS);
  const from = process.cpuUsage();
  knowledge.find(question);
  return cpuMs(process.cpuUsage(from));
}).toSorted((one, other) => one - other);
const timeAt = (share: number): number => at(times, Math.floor(times.length * share));
const memoryMb = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 2 ** 20;
console.log(JSON.stringify({ p50: timeAt(0.5), p95: timeAt(0.95), buildMs, memoryMb }));
