/**
 * Resamples audio in chunks with a windowed sinc filter. A pair of rates may need more than 512
 * filters. The filter for the nearest position is used then.
 */

const HALF_TAPS = 24;
const PASSED = 0.94;
const MAX_PHASES = 512;

const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));

export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #half: number;
  readonly #cut: number;
  readonly #bank = new Map<number, Float32Array>();
  /** Input samples that are still needed. `#first` is the index of the first one. */
  #input = new Float32Array(0);
  #first = 0;
  #given = 0;
  #made = 0;

  constructor(from: number, to: number) {
    const common = divisor(from, to);
    this.#up = to / common;
    this.#down = from / common;
    const ratio = Math.min(1, to / from);
    this.#half = Math.ceil(HALF_TAPS / ratio);
    this.#cut = ratio * PASSED;
  }

  push(piece: Float32Array): Float32Array {
    if (this.#up === this.#down) return piece;
    this.#keep(piece);
    return this.#make(Math.floor(((this.#given - this.#half - 1) * this.#up) / this.#down));
  }

  end(): Float32Array {
    if (this.#up === this.#down) return new Float32Array(0);
    return this.#make(Math.floor((this.#given * this.#up) / this.#down));
  }

  #keep(piece: Float32Array): void {
    const position = Math.floor((this.#made * this.#down) / this.#up) - this.#half;
    const kept = this.#input.subarray(Math.max(0, Math.min(this.#input.length, position - this.#first)));
    const joined = new Float32Array(kept.length + piece.length);
    joined.set(kept);
    joined.set(piece, kept.length);
    this.#first = this.#given - kept.length;
    this.#given += piece.length;
    this.#input = joined;
  }

  #make(until: number): Float32Array {
    const output = new Float32Array(Math.max(0, until - this.#made));
    for (let index = 0; index < output.length; index += 1) output[index] = this.#sample(this.#made + index);
    this.#made += output.length;
    return output;
  }

  #sample(number: number): number {
    const position = number * this.#down;
    const filter = this.#filter(position % this.#up);
    const start = Math.floor(position / this.#up) - this.#half + 1 - this.#first;
    const input = this.#input;
    // Stay in bounds: other reads are slow, and this loop runs 130 million times per minute of sound.
    const until = Math.min(filter.length, input.length - start);
    let sum = 0;
    for (let tap = Math.max(0, -start); tap < until; tap += 1) sum += (input[start + tap] ?? 0) * (filter[tap] ?? 0);
    return sum;
  }

  #filter(phase: number): Float32Array {
    const place = this.#up <= MAX_PHASES ? phase / this.#up : Math.round((phase / this.#up) * MAX_PHASES) / MAX_PHASES;
    const known = this.#bank.get(place);
    if (known) return known;
    const half = this.#half;
    const filter = Float32Array.from({ length: 2 * half }, (_, tap) => {
      const distance = tap - half + 1 - place;
      if (Math.abs(distance) >= half) return 0;
      const window = 0.42 + 0.5 * Math.cos((Math.PI * distance) / half) + 0.08 * Math.cos((2 * Math.PI * distance) / half);
      return window * (distance === 0 ? this.#cut : Math.sin(Math.PI * this.#cut * distance) / (Math.PI * distance));
    });
    const total = filter.reduce((sum, tap) => sum + tap, 0);
    const even = filter.map((tap) => tap / total);
    this.#bank.set(place, even);
    return even;
  }
}
