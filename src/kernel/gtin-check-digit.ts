/**
 * The GS1 check digit: weights 3,1,3,… from the right of the body, (10 − sum mod 10) mod 10.
 *
 * @param body the digits without the check digit
 */
export function gtinCheckDigit(body: string): string {
  let sum = 0;
  let weight = 3;
  for (let index = body.length - 1; index >= 0; index -= 1) {
    sum += weight * (body.charCodeAt(index) - 48);
    weight = 4 - weight;
  }
  return String((10 - (sum % 10)) % 10);
}

/** Whether the last digit is the check digit of the digits before it. */
export function hasValidCheckDigit(code: string): boolean {
  return gtinCheckDigit(code.slice(0, -1)) === code.slice(-1);
}

/**
 * The check digit of an ISBN-10: weights 10..2 on nine digits, modulus 11, ten written as `X`.
 *
 * @param body the first nine digits
 */
export function isbn10CheckDigit(body: string): string {
  let sum = 0;
  for (let index = 0; index < 9; index += 1) sum += (10 - index) * (body.charCodeAt(index) - 48);
  const check = (11 - (sum % 11)) % 11;
  return check === 10 ? 'X' : String(check);
}
