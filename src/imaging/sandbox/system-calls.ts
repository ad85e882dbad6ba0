/** The numbers of a Linux system call on x64 and arm64; undefined if the architecture does not have it. */
type Numbers = readonly [x64: number, arm64?: number]

/** From 424 on, a system call has the same number on all architectures. */
const same = (number: number): Numbers => [number, number]

/** System calls that no decoder needs, grouped by what an attacker would use them for. */
export const REFUSED_CALLS: Readonly<Record<string, Numbers>> = {
  // Network.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_send_signal: same(424),
  pidfd_open: same(434),
  pidfd_getfd: same(438),
  tkill: [200, 130],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  process_madvise: same(440),
  sched_setaffinity: [203, 122],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  shmget: [29, 194],
  shmat: [30, 196],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  // Large kernel subsystems that often had vulnerabilities.
  perf_event_open: [298, 241],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  fanotify_init: [300, 262],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  // File attributes, which Landlock does not cover, and links.
  chmod: [90],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: same(452),
  chown: [92],
  lchown: [94],
  fchown: [93, 55],
  fchownat: [260, 54],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  utime: [132],
  utimes: [235],
  futimesat: [261],
  utimensat: [280, 88],
  link: [86],
  linkat: [265, 37],
  symlink: [88],
  symlinkat: [266, 36],
  mknod: [133],
  mknodat: [259, 33],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  quotactl: [179, 60],
  // The machine.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  iopl: [172],
  ioperm: [173],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  personality: [135, 92],
}

/** System calls that start a process and have no flags to filter by. */
export const FORKS: Readonly<Record<string, Numbers>> = { fork: [57], vfork: [58] }

export const CLONE: Numbers = [56, 220]
export const CLONE3: Numbers = same(435)
export const KILL: Numbers = [62, 129]
export const TGKILL: Numbers = [234, 131]
export const PRLIMIT64: Numbers = [302, 261]

/** The newest system call that was reviewed. Newer ones fail with ENOSYS. */
export const LAST_KNOWN = 462

export interface Machine {
  /** AUDIT_ARCH of the kernel. */
  audit: number
  column: 0 | 1
}

export const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
}
