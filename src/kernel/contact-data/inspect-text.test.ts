import fc from 'fast-check';
import { findPhoneNumbersInText } from 'libphonenumber-js/min';
import { describe, expect, test } from 'vitest';
import { checkSellerText, maskText } from './conversation-text.ts';
import { type ContactKind, inspect, type Known } from './inspect-text.ts';

const NOTHING: Known = { strings: [], hosts: [] };
const ORDER: Known = { strings: ['0412345678', '2JD1234567', '2000', 'MUG-BLU'], hosts: ['auspost.com.au'] };

const shown = (text: string, known = NOTHING) =>
  inspect(text, known).map(({ start, end, kind }) => [kind, text.slice(start, end)]);

describe('the golden example', () => {
  test('what the order has is allowed', () => {
    expect(inspect('Parcel 2JD1234567 of order 0412345678 left today', ORDER)).toEqual([]);
  });
  test('another number and an address are found where they stand', () => {
    expect(inspect('Call 0412 345 679 or mail a@b.com.au', ORDER)).toEqual([
      { start: 5, end: 17, kind: 'phone' },
      { start: 26, end: 36, kind: 'email' },
    ]);
  });
  test('a card is found, GTINs are not', () => {
    expect(shown('4111 1111 1111 1111')).toEqual([['payment_card', '4111 1111 1111 1111']]);
    expect(shown('4006381333931 and 9312345678907')).toEqual([]);
  });
});

test('no number has four digits, so a text with fewer than five is not searched', () => {
  const texts = Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, '0'));
  const found = texts.flatMap((digits) =>
    [digits, `+${digits}`].filter((text) => findPhoneNumbersInText(text, 'AU').length > 0),
  );
  expect(found).toEqual([]);
});

describe('finds', () => {
  test.each<[string, ContactKind, string]>([
    ['write to mia@example.com please', 'email', 'mia@example.com'],
    ['see www.example.com/shop', 'url', 'www.example.com/shop'],
    ['see example.com.au today', 'url', 'example.com.au'],
    ['see https://allowed.example@evil.example/x', 'url', 'https://allowed.example@evil.example/x'],
    ['ring +61 2 9374 4000.', 'phone', '+61 2 9374 4000'],
    ['ring (02) 9374 4000', 'phone', '(02) 9374 4000'],
    ['page 16303', 'phone', '16303'],
    ['ring 0412-345-679', 'phone', '0412-345-679'],
    ['ring ０４１２ ３４５ ６７９', 'phone', '０４１２ ３４５ ６７９'],
    ['ring 0412\u200b345\u2060679', 'phone', '0412\u200b345\u2060679'],
    ['ring 0412\u2013345\u2013679', 'phone', '0412\u2013345\u2013679'],
    ['mail mia＠example．com', 'email', 'mia＠example．com'],
    ['mail m\u00adia@exa\u200dmple.com', 'email', 'm\u00adia@exa\u200dmple.com'],
    ['see www\u3002example\uff61com today', 'url', 'www\u3002example\uff61com'],
    ['ring ०४१२ ३४५ ६७९', 'phone', '०४१२ ३४५ ६७९'],
    [
      'ring 0\ufe0f\u20e34\ufe0f\u20e31\ufe0f\u20e32345679',
      'phone',
      '0\ufe0f\u20e34\ufe0f\u20e31\ufe0f\u20e32345679',
    ],
    ['ring 0412 345 67\u0039\ufe0f\u20e3', 'phone', '0412 345 67\u0039\ufe0f\u20e3'],
    ['mail mia@203.0.113.5', 'email', 'mia@203.0.113.5'],
    ['card ٤١١١ ١١١١ ١١١١ ١١١١', 'payment_card', '٤١١١ ١١١١ ١١١١ ١١١١'],
    ['card 4\u03361\u033611 1111 1111 1111', 'payment_card', '4\u03361\u033611 1111 1111 1111'],
    ['card 4111-1111-1111-1111!', 'payment_card', '4111-1111-1111-1111'],
    ['card 4111111111111111', 'payment_card', '4111111111111111'],
    ['card 4111 1111 1111 1111 12/30', 'payment_card', '4111 1111 1111 1111'],
    ['card 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', 'payment_card', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['card 4111\u00a01111\u00a01111\u00a01111', 'payment_card', '4111\u00a01111\u00a01111\u00a01111'],
    ['amex 3782 822463 10005', 'payment_card', '3782 822463 10005'],
    ['mc 2223 0031 2200 3222', 'payment_card', '2223 0031 2200 3222'],
    ['🙂🙂 mia@example.com', 'email', 'mia@example.com'],
    ['see example.com:8080/x', 'url', 'example.com'],
    ['see http:example.com', 'url', 'example.com'],
    ['see example.com_ or ~example.com~', 'url', 'example.com'],
    ['mail mia@example.com:25', 'email', 'mia@example.com'],
    ['mail mia@example.com_', 'email', 'mia@example.com'],
    ['mail kim@example.com;mia@example.com', 'email', 'mia@example.com'],
    ['mail 💌mia@example.com💌', 'email', 'mia@example.com'],
    ['mail zoë@example.com', 'email', 'zoë@example.com'],
    ['mail мой@пример.рф', 'email', 'мой@пример.рф'],
    ['see https:/example.com', 'url', 'example.com'],
    ['see hxxp://www.example.com', 'url', 'www.example.com'],
    ['ring 0412\t345\t679', 'phone', '0412\t345\t679'],
    ['card 4111\t1111\u22121111\u22121111', 'payment_card', '4111\t1111\u22121111\u22121111'],
    ...[
      '0412_345_679',
      '0412\n345\n679',
      '0412 345\r\n679',
      '+61_412_345_679',
      '02 9374\n4000',
      '0412*345*679',
      ...['0412,345,679', '0412, 345, 679', '0412:345:679', '0412;345;679', "0412'345'679", '0412]345[679'],
      ...['+61 (0)412_345_679', '+61 (0)2_9374_4000', '+61412,345,679', '0061_412_345_679'],
      ...['0061412345679', '0061 412 345 679', '0011 61 412 345 679', '0044 7911 123456'],
    ].map((number): [string, ContactKind, string] => [`ring ${number}`, 'phone', number]),
    ...['0412_345_679;5 pm', '0412|345|679:9am', '0412_345_679:5'].map(
      (text): [string, ContactKind, string] => [`1,${text}`, 'phone', text.slice(0, 12)],
    ),
    ...['4111.1111.1111.1111', '4111_1111_1111_1111', '4111\n1111\n1111\n1111', '3782 - 822463 - 10005'].map(
      (number): [string, ContactKind, string] => [`card ${number}`, 'payment_card', number],
    ),
    ...[
      'my-shop.store',
      'myshop.xyz',
      'MYSHOP.STORE',
      'myshop.app/x',
      'a.myshop.online',
      'www.v2.app',
      'ab1.com',
      'www.myshop',
      'www.myshop.anything',
      ...['myshop.top', 'myshop.live', 'myshop.link', 'my.shop.page/x', 'myshop.click'],
      ...['203.0.113.5/pay', '203.0.113.5:8080', '203.0.113.5:8080/x', '203.0.113.5/'],
    ].map((host): [string, ContactKind, string] => [`see ${host}, please`, 'url', host]),
  ])('%j', (text, kind, found) => {
    expect(shown(text)).toContainEqual([kind, found]);
  });
});

describe('does not find', () => {
  test.each([
    ['a card with a wrong check digit', '4111 1111 1111 1112'],
    ['a number of no scheme', '9111 1111 1111 1111'],
    ['an amount and a date', 'Refunded 1,234.50 AUD on 2026-04-07'],
    ['a size', '120 x 60 x 75 cm, 12.5 kg'],
    ['prices of pieces', '10@5.00, 2@10.50ea and 3 @ 7.95'],
    ['a time', 'from 09:00 to 17:00 on 3/4'],
    ['a telephone number in a GTIN', 'Order ord 1002, 4006381333931 and 9312345678907'],
    ['order numbers', 'Orders 250-1234567-1234567, #100012345 and 1000123456\n2 pieces'],
    ['tracking numbers', 'JDQ00412345679, 1Z999AA10123456784, RR123456789AU and 997012345678\n997012345679'],
    ['GTINs in lines', '9312345678907\n9312345678914\n9 312345 678921'],
    ['sizes in lines and signs', '1200_600_750\n1200\n600\n750 mm, 205/55R16, 4.5 x 50\n36|38|40|42'],
    ['prices in lines', '45.90\n12.30\n33.60 and $1 234 567.89'],
    ['postcodes in lines', '2000\n3000\n4000\n5000'],
    ['postcodes behind commas', '4000, 4001, 4002, 4012'],
    ['dates and times', '07.04.2026\n08.04.2026, 09:00\n17:00, 2026_04_07'],
    ['names of models', 'WH-1000XM5, SM-G991B/DS, 06A 115 561 B, 11 42 7 953 129, M8x1.25x30'],
    ['dates in signs', '07_04_2026_10, 04|07|2026|10 and 0412_345_679_680'],
    ['a number before a line of another', 'SKU 0412345\n679 g'],
    ['the name of a picture', 'img_0412_345_679.jpg'],
    [
      'sizes that ascend',
      '02\n04\n06\n08\n10, 02 | 04 | 06 | 08 | 10, 02 • 04 • 06 • 08 • 10; 04\n12\n18\n24\n30',
    ],
    ['lists', '0412,345,679,680; 02, 1200, 2400; 04:12:34:56:79:80; 1,234,567; 04,12,18,24,30'],
    ['numbers of fourteen digits', '00012345678905, 00614141007349 and 00812345678901'],
    ['versions and networks', 'Firmware 10.2.1.44, 1.2.3.4/5, 10.0.0.0/8 and 999.2.1.1/x'],
    ['business numbers', 'ABN 51 824 753 556, 53004085616, ACN 004 085 616'],
    ['words of newer endings behind a dot', 'Sold.Top quality, as seen.Live tracking.Page 2, XL.top'],
    [
      'measures',
      'Board 02\u00d71200\u00d72400, 02*1200*2400 mm, 03 * 1800 * 2400, 02"1200"2400, 0400\u00d7300\u00d7200',
    ],
    [
      'stock behind signs',
      'stock 0400; 250; 100 and 02,1200,2400; 03,05,04,02,01; 02:08:04:16:10; 0;2;4;6;8;1;3;5;7;9',
    ],
    ['addresses at home', 'Open 192.168.1.1/setup, 10.0.0.138:8080 or 172.16.0.1/'],
    ['stock in lines', 'Left in stock:\n0200\n100\n200'],
    ['a batch', 'Batch 04_1234_5678'],
    ['programs and files', 'Get v2.app. Open the Photos.app, edit config.dev; Model X1.tech'],
    ['words behind a dot', 'XL.fashion, Thanks.club members, Yes.store it, it arrived.online tracking says'],
    ['sentences without a blank between them', 'It is ordered.Store it cool. We wait.Online it is cheaper'],
  ])('%s', (_, text) => {
    expect(shown(text)).toEqual([]);
  });

  test('links to allowed hosts and below them, but to no host that only looks like one', () => {
    expect(shown('https://auspost.com.au/mypost/track/details/2JD1234567', ORDER)).toEqual([]);
    expect(shown('https://auspost.com.au:443/a_b;c?u=https://auspost.com.au/d:e', ORDER)).toEqual([]);
    expect(shown('www.auspost.com.au and track.auspost.com.au', ORDER)).toEqual([]);
    expect(shown('https://notauspost.com.au/', ORDER)).toEqual([['url', 'https://notauspost.com.au/']]);
    expect(shown('https://auspost.com.au@evil.com/', ORDER)).toEqual([
      ['url', 'https://auspost.com.au@evil.com/'],
    ]);
    expect(shown('https://auspost.com.au:x@evil.com/', ORDER)).toEqual([
      ['url', 'https://auspost.com.au:x@evil.com/'],
    ]);
    expect(shown('https://auspost.com.au.evil.com/', ORDER)).toEqual([
      ['url', 'https://auspost.com.au.evil.com/'],
    ]);
  });

  test('known strings with other blanks, dashes or case', () => {
    expect(shown('0412 345-678, 2jd 1234567', ORDER)).toEqual([]);
    // A number is not known because a part of it is.
    expect(shown('ring 0412 2000 34', ORDER)).toEqual([['phone', '0412 2000 34']]);
  });
});

describe('for any text', () => {
  const hostile = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          ...[
            '0412 345 679',
            'a@b.com',
            'www.x.com',
            '4111 1111 1111 1111',
            '@',
            '.',
            ' ',
            '-',
            '(',
            '+61',
            '\u202e',
          ],
          ...[
            '\ud800',
            '\udc00',
            '\u200b',
            'https://',
            '2JD1234567',
            '０',
            '1',
            '4',
            '[email removed]',
            '//',
            ':',
          ],
        ),
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join(''));

  test('it throws nothing, and spans lie in the text, in order, apart', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        let last = 0;
        for (const { start, end } of inspect(text, ORDER)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  test('nothing inside a known string is found', () => {
    const known = fc.constantFrom('0412 345 679', 'a@b.com', 'www.x.com', '4111 1111 1111 1111');
    fc.assert(
      fc.property(hostile, known, hostile, (before, string, after) => {
        const text = `${before}\n${string}\n${after}`;
        const start = before.length + 1;
        const inside = inspect(text, { ...NOTHING, strings: [string] }).filter(
          (span) => span.start >= start && span.end <= start + string.length,
        );
        expect(inside).toEqual([]);
      }),
    );
  });

  test('masking twice changes nothing, and nothing is left to find', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { text: once } = maskText(text, ORDER);
        expect(inspect(once, ORDER)).toEqual([]);
        expect(maskText(once, ORDER)).toEqual({ text: once, masked: [] });
      }),
    );
  });
});

test('a long text of digits or of links costs no time that its sender could use', () => {
  for (const piece of ['0412 345 ', '4 1 1 1 ', 'a@b.', 'www.', '(((((', '1-', '@@@@.com '])
    expect(() => inspect(piece.repeat(1_000).slice(0, 4_000), ORDER)).not.toThrow();
});

describe('the text of a seller', () => {
  const refusals = (text: string, more: object = {}) => {
    try {
      return checkSellerText(text, ['body', 'text'], { known: ORDER, ...more });
    } catch (error) {
      return (error as { body: { detail: unknown } }).body.detail;
    }
  };

  test('is composed and trimmed', () => {
    expect(refusals('  Cafe\u0301\n\tyes ')).toBe('Caf\u00e9\n\tyes');
  });
  test('is refused with each finding and its span', () => {
    expect(refusals('Call 0412 345 679 or mail a@b.com.au')).toMatchObject([
      { loc: ['body', 'text'], type: 'contact_phone', ctx: { start: 5, end: 17 } },
      { loc: ['body', 'text'], type: 'contact_email', ctx: { start: 26, end: 36 } },
    ]);
    expect(refusals('go to evil.com')).toMatchObject([{ type: 'contact_url', ctx: { start: 6, end: 14 } }]);
    expect(refusals('4111 1111 1111 1111')).toMatchObject([{ type: 'payment_card_number' }]);
  });
  test.each<[string, string]>([
    ['\u202egnp.exe', 'control_chars'],
    ['a\u0000b', 'control_chars'],
    ['a\u001bb', 'control_chars'],
    ['  \n ', 'string_too_short'],
    ['a'.repeat(4_001), 'string_too_long'],
  ])('case %#', (text, type) => {
    expect(refusals(text)).toMatchObject([{ type }]);
  });
  test('of a ticket to the marketplace may have contact data, but no card number', () => {
    const kinds = ['payment_card'];
    expect(refusals('mail a@b.com', { kinds })).toBe('mail a@b.com');
    expect(refusals('4111 1111 1111 1111', { kinds })).toMatchObject([{ type: 'payment_card_number' }]);
    for (const text of ['https://x.example/4111111111111111', '4111111111111111@x.example'])
      expect(refusals(text, { kinds })).toMatchObject([{ type: 'payment_card_number' }]);
  });
});

test('numbers over several lines are found one by one', () => {
  const text = '0412\n345\n679\n10 pieces, +61\n412\n345\n680\n02_9374_4000\n0412_345_681\n5 pieces';
  expect(maskText(text, NOTHING).text).toBe(
    '?\n10 pieces, ?\n?\n?\n5 pieces'.replaceAll('?', '[phone removed]'),
  );
});

test('the text of a buyer is stored without what is found, and without control characters', () => {
  expect(maskText(' \u202eRing 0412 345 679 or 0412 345 680, mail a@b.com\u0007 ', ORDER)).toEqual({
    text: 'Ring [phone removed] or [phone removed], mail [email removed]',
    masked: ['email', 'phone'],
  });
  // A link ends at the first blank of a card number, and takes the rest of it along.
  expect(maskText('https://x.example/4111 1111 1111 1111 ok', NOTHING).text).toBe('[link removed] ok');
  expect(maskText('\u0007\u0000 ', NOTHING)).toEqual({ text: '', masked: [] });
});
