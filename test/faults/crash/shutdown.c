// Takes the power from a mounted file system: what was not made durable is lost (FS_IOC_SHUTDOWN, no log flush).
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
int main(int count, char **words) {
  uint32_t without_log_flush = 2;
  int folder = count == 2 ? open(words[1], O_RDONLY) : -1;
  return folder < 0 || ioctl(folder, _IOR('X', 125, uint32_t), &without_log_flush) != 0;
}
