import { type Drawing, landscape, rings, stairs, strata, tiles } from './draw-picture.ts'

/** A picture of the demo site, with its texts. */
export interface DemoPicture extends Drawing {
  title: string
  description: string
  tags: readonly string[]
}

interface DemoAlbum {
  title: string
  description: string
  pictures: readonly DemoPicture[]
}

const sun = (x: number, y: number, size: number, colour: string) => ({ x, y, size, colour })

/** Twelve pictures in two albums, drawn by the functions above. */
export const demoAlbums: readonly DemoAlbum[] = [
  {
    title: 'Hills and terraces',
    description: 'One landscape at eight hours of the day.',
    pictures: [
      {
        title: 'First light',
        description: 'The valley is still cold, the top of the sky is not.',
        tags: ['morning', 'hills'],
        width: 1200,
        height: 800,
        painter: landscape({
          sky: ['7d9fc4', 'f9d9b8'],
          hills: ['c3a9b4', '2c3a4f'],
          sun: sun(1.05, 0.4, 0.06, 'fff3d6'),
          seed: 1,
        }),
      },
      {
        title: 'Rice terraces',
        description: 'Steps of water and young rice.',
        tags: ['hills', 'green'],
        width: 800,
        height: 1120,
        painter: landscape({
          sky: ['a8d3e6', 'eef4df'],
          hills: ['a9cbb0', '1d6652'],
          sun: sun(0.2, 0.14, 0.05, 'fffbe6'),
          seed: 5,
          steps: 0.045,
        }),
      },
      {
        title: 'Noon',
        description: 'Hardly a shadow.',
        tags: ['day', 'hills'],
        width: 1280,
        height: 720,
        painter: landscape({
          sky: ['4f97d0', 'd9ecf5'],
          hills: ['9fc0cf', '4a6b3a'],
          sun: sun(0.5, 0.12, 0.045, 'fffef2'),
          seed: 9,
        }),
      },
      {
        title: 'Red desert',
        description: 'Sand that was rock, and rock that will be sand.',
        tags: ['desert', 'red'],
        width: 960,
        height: 960,
        painter: landscape({
          sky: ['e8b07c', 'fbe6c4'],
          hills: ['dd9a6c', '7a2e1d'],
          sun: sun(0.72, 0.27, 0.08, 'fff0cf'),
          seed: 14,
          steps: 0,
        }),
      },
      {
        title: 'Autumn above the fog',
        description: 'The fog lifts at ten, if it lifts.',
        tags: ['autumn', 'fog', 'hills'],
        width: 1600,
        height: 640,
        painter: landscape({
          sky: ['c9cfd2', 'f3eee2'],
          hills: ['d9d2c4', '8a4b22'],
          sun: sun(1.9, 0.3, 0.07, 'fffaf0'),
          seed: 22,
        }),
      },
      {
        title: 'Last ferry',
        description: 'A quarter past nine in June.',
        tags: ['evening', 'hills'],
        width: 1200,
        height: 800,
        painter: landscape({
          sky: ['3b4a7a', 'f2a37c'],
          hills: ['a4637a', '1b1d33'],
          sun: sun(0.45, 0.47, 0.07, 'ffd9a0'),
          seed: 31,
        }),
      },
      {
        title: 'Snow in the valley',
        description: 'Quiet.',
        tags: ['winter', 'hills'],
        width: 840,
        height: 1120,
        painter: landscape({
          sky: ['b8cadb', 'f4f6f8'],
          hills: ['cfdbe6', 'f8fafc'],
          sun: sun(0.55, 0.2, 0.06, 'ffffff'),
          seed: 40,
          steps: 0,
        }),
      },
      {
        title: 'Moonrise',
        description: 'Long exposure, if it were a photo.',
        tags: ['night', 'hills'],
        width: 1280,
        height: 800,
        painter: landscape({
          sky: ['0b1024', '33446e'],
          hills: ['26365c', '060912'],
          sun: sun(1.2, 0.2, 0.055, 'f2eede'),
          seed: 52,
        }),
      },
    ],
  },
  {
    title: 'Patterns',
    description: 'Four drawings without a horizon.',
    pictures: [
      {
        title: 'Steps',
        description: 'Three were not enough.',
        tags: ['pattern', 'green'],
        width: 960,
        height: 960,
        painter: stairs('f6f4ee', '9fc9b8', '1d6652', 6),
      },
      {
        title: 'Two stones',
        description: 'Rings that meet.',
        tags: ['pattern', 'water'],
        width: 1200,
        height: 800,
        painter: rings('12344d', 'a9d6e0'),
      },
      {
        title: 'Tiles',
        description: 'Each tile is turned by chance, and still the lines meet.',
        tags: ['pattern'],
        width: 960,
        height: 1200,
        painter: tiles('f4e8d6', 'c0532b', '51324e', 9),
      },
      {
        title: 'Strata',
        description: 'Ten layers of a rock that does not exist.',
        tags: ['pattern', 'red'],
        width: 1440,
        height: 800,
        painter: strata([
          'f2e2c4',
          'e3b98a',
          'd08c5d',
          'b5653f',
          '8f4a33',
          'c08a62',
          '7a3b2e',
          '5b3140',
          '3d2a45',
          '241f38',
        ]),
      },
    ],
  },
]
