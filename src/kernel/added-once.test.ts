import { expect, test } from 'vitest';
import { contentDigest, wasAdded } from './added-once.ts';

test('an addition is stored once; its id with other content is refused', () => {
  const digest = contentDigest({ text: 'Hello', rating: 4 });
  expect(digest).toBe(contentDigest({ rating: 4, text: 'Hello' }));
  expect(wasAdded(undefined, digest, 'message m-1')).toBe(false);
  expect(wasAdded({ digest }, digest, 'message m-1')).toBe(true);
  expect(wasAdded({ digest: null }, digest, 'message m-1')).toBe(true);
  expect(() => wasAdded({ digest: contentDigest({}) }, digest, 'message m-1')).toThrow(
    expect.objectContaining({
      code: 'id_reused',
      message: 'The message m-1 was sent before with other content.',
    }),
  );
});
